// Which explanation is true to the model, on the papers' corpora: every method between chance and the best
// possible order of words, and the verdict on each model (docs/how-to/verdict.md). Encoders, sparse attention, and a
// model trained on texts with words masked (Madsen et al. 2023), to which erased texts are nothing new.
// With `--limit 200`, 200 texts of each corpus are explained, perturbed and judged.
local lib = import '../lib/lib.libsonnet';
local presets = import '../lib/presets.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'Faithfulness',
  data:: { [name]: lib.data[name] for name in ['sst', 'imdb', 'newsgroups', 'ag_news'] },
  runs(data)::
    // Jain & Wallace's, so that most are trained once for both studies.
    local model(encoder, projection='softmax') = lib.experiment(
      data, lib.encoders[encoder], lib.attention.tanh + lib.attention[projection], $.training(lib.training.jain_wallace)
    );
    local judged(config, erasures=['delete', 'zero', 'unk']) = {
      config: config,
      attributions: { compared: presets.bastings_filippova + [presets.omission] },
      perturbations: { verdict: presets.perturbations_of_verdicts },
      faithfulness: {
        scale: {
          attributions: 'compared',
          // What stays when all parameters are others; not, what did on the way there.
          measures: presets.order_measures + presets.measures_of_verdicts + [{ type: 'parameter_randomization', intermediate: false }],
          erasures: erasures,
        },
      },
    };
    {
      softmax: judged(model('bilstm')),
      sparsemax: judged(model('bilstm', 'sparsemax')),
      softmax_erased: judged(lib.erasure_training(model('bilstm')), ['delete', 'zero', 'unk', 'mask']),
    } + {
      [encoder]: judged(model(encoder))
      for encoder in study.pick(['affine'], ['cnn', 'affine'])
    },
  tables: [
    study.table('faithfulness', ['attributions/compared', 'perturbations/verdict', 'faithfulness/scale']),
    { command: 'models', from: ['runs'] },
  ],
}
