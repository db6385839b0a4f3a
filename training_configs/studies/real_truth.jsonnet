// Verdicts compared with a known truth in real texts: shortcuts planted into corpora that people wrote (Bastings
// et al. 2022). The models that are explained have seen the shortcuts; the originals show that they meant nothing
// before. Of a Hugging Face folder, `allennlp truth` makes the same comparison with a copy.
local lib = import '../lib/lib.libsonnet';
local presets = import '../lib/presets.libsonnet';
local study = import '../lib/study.libsonnet';
local root = std.extVar('ATTENTION_EXPLAIN_DATA');

local binary(data) = data { labels: ['0', '1'] };
local tweets(name, labels) =
  local path(split) = root + '/tweeteval/' + name + '_' + split + '.jsonl.gz';
  lib.data.text_files(
    path('train'),
    path('dev'),
    path('test'),
    reader={ corpus: name, lowercase: true },
    embedding=lib.data.sst.embedding,
  ) + { labels: labels };

study {
  title: 'Do verdicts agree with a known truth in real texts?',
  seeds: study.few_seeds,
  data:: {
    sst: binary(lib.data.sst),
    ag_news: binary(lib.data.ag_news),
    newsgroups: binary(lib.data.newsgroups),
    emotion: tweets('emotion', ['anger', 'joy', 'optimism', 'sadness']),
  },
  planted:: binary(super.planted),
  encoders:: study.pick(['bilstm', 'affine'], ['bilstm', 'cnn', 'transformer', 'affine']),
  runs(data)::
    // The order of two tokens stands for one of two classes.
    local kinds = ['single', 'context'] + (if std.length(data.labels) == 2 then ['ordered'] else []);
    local model(encoder, data) =
      lib.experiment(data, lib.encoders[encoder], lib.attention.tanh, $.training(lib.training.jain_wallace));
    // Half of the dev and test texts have the shortcut: only these have a rationale, which is compared with scores.
    local evaluated(data, share) = data {
      validation_dataset_reader: data.dataset_reader { shortcut+: { share: share } },
    };
    {
      [encoder + '_' + kind]: {
        config: model(encoder, evaluated(lib.with_shortcut(data, kind, data.labels), 0.5)),
        attributions: { all: presets.debate + ['signed-attention', 'attention-x-gradient'] },
        perturbations: { verdict: presets.perturbations_of_verdicts },
        faithfulness: { all: {
          attributions: 'all',
          measures: presets.order_measures + presets.measures_of_verdicts,
          erasures: study.pick(['delete'], ['delete', 'unk']),
          limit: study.pick(20, 100),
        } },
      }
      for encoder in $.encoders
      for kind in kinds
    } + {
      [encoder + '_original_' + kind]: {
        config: model(encoder, evaluated(lib.with_shortcut(data, kind, data.labels, 0), 0.5)),
        attributions: { all: ['attention'] },
      }
      for encoder in $.encoders
      for kind in kinds[:1]
    },
  tables: [
    // Of the originals as well, to which the tokens mean nothing.
    study.causes(['attributions/all']),
    study.table(
      'planted-truth',
      ['attributions/all', 'perturbations/verdict', 'faithfulness/all'],
      only=[encoder + '_' + kind for encoder in $.encoders for kind in ['single', 'context', 'ordered']],
    ),
  ],
}
