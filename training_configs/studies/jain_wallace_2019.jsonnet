// Jain & Wallace 2019, "Attention is not Explanation": agreement of attention with gradients and
// leave-one-out; permuted and adversarial attention. Single texts, and pairs (docs/how-to/pairs.md).
local lib = import '../lib/lib.libsonnet';
local presets = import '../lib/presets.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'Jain & Wallace 2019',
  data:: {
    [name]: lib.data[name]
    for name in ['sst', 'imdb', 'newsgroups', 'ag_news', 'snli', 'babi_1', 'babi_2', 'babi_3']
  },
  runs(data):: {
    local on_one_model = encoder + scorer == 'bilstmtanh',
    // bAbI says which facts an answer rests on: does attention point to them, and do other methods?
    local facts = on_one_model && std.get(data, 'known_causes', false),
    // Pairs take long.
    [encoder + '_' + scorer]: (if 'pairs' in data then study.few else {}) + {
      config: lib.experiment(
        data,
        lib.encoders[encoder],
        lib.attention[scorer],
        $.training(lib.training.jain_wallace_on(data)),
      ),
      attributions: {
        jain_wallace: presets.jain_wallace,
        // What each meaning of gradient gives.
        [if on_one_model && !('pairs' in data) then 'definitions']: presets.gradient_definitions,
        [if facts then 'facts']: presets.bastings_filippova,
      },
      [if facts then 'faithfulness']: { facts: {
        attributions: 'facts',
        measures: ['comprehensiveness', 'sufficiency'],
        erasures: ['delete'],
        limit: study.pick(30, 100),
      } },
      perturbations: { jain_wallace: import '../perturbations/jain_wallace.jsonnet' },
    }
    for encoder in study.pick(['bilstm', 'affine'], ['bilstm', 'cnn', 'affine'])
    for scorer in study.pick(['tanh'], ['tanh', 'dot'])
  },
  tables: [
    study.table('jain-wallace', ['attributions/jain_wallace', 'perturbations/jain_wallace']),
    study.table('gradient-definitions', ['attributions/definitions']),
    study.table('supporting-facts', ['attributions/facts', 'faithfulness/facts']),
  ],
}
