// Neely & Schouten 2020: does sparse attention agree with feature importance? And their section 7: is
// it the use of attention that decides how far an adversary gets?
local lib = import '../lib/lib.libsonnet';
local presets = import '../lib/presets.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'Neely & Schouten 2020',
  data:: {
    sst: lib.data.sst,
    // Very probably theirs were reviews of at most 100 tokens alone. (A plan counts the longer ones, too.)
    imdb: lib.data.imdb { dataset_reader+: { max_tokens: 100 } },
  },
  runs(data)::
    local model(attention) = lib.experiment(
      data, lib.encoders.bilstm, attention, $.training(lib.training.neely_schouten)
    );
    {
      [scorer + '_' + projection]: {
        config: model(lib.attention[scorer] + lib.attention[projection]),
        attributions: { neely_schouten: presets.neely_schouten },
        perturbations: { usage: ['uniform', 'instance-adversary'] },
      }
      for scorer in study.pick(['tanh'], ['tanh', 'sdp'])
      for projection in ['softmax', 'sparsemax']
    } + {
      uniform: { config: model(lib.attention.uniform), attributions: { attention: ['attention'] } },
    },
  tables: [study.table(
    'neely-schouten', ['attributions/neely_schouten', 'attributions/attention', 'perturbations/usage']
  )],
}
