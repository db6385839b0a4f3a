// Which explanation is true to the model, on the papers' corpora: every method between chance and the best
// possible order of words, for models trained as usual and on texts with words masked (Madsen et al. 2023).
// With `--limit 200` so many texts of each corpus are explained and judged.
local lib = import '../lib/lib.libsonnet';
local presets = import '../lib/presets.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'Faithfulness',
  data:: { [name]: lib.data[name] for name in ['sst', 'imdb', 'newsgroups', 'ag_news'] },
  runs(data)::
    local model(projection) = lib.experiment(
      data, lib.encoders.bilstm, lib.attention.tanh + lib.attention[projection], $.training(lib.training.jain_wallace)
    );
    local judged(config, erasures) = {
      config: config,
      attributions: { compared: presets.bastings_filippova },
      faithfulness: {
        scale: {
          attributions: 'compared',
          measures: presets.order_measures,
          erasures: erasures,
        },
      },
    };
    {
      [projection]: judged(model(projection), ['delete', 'zero', 'unk'])
      for projection in ['softmax', 'sparsemax']
    } + {
      softmax_erased: judged(lib.erasure_training(model('softmax')), ['delete', 'zero', 'unk', 'mask']),
    },
  tables: [
    study.table('faithfulness', ['faithfulness/scale']),
    { command: 'models', from: ['runs'] },
  ],
}
