// Liu et al. 2022, "Rethinking Attention-Model Explainability through Faithfulness Violation Test": does the token with
// the largest score have an effect of that sign? On bAbI 1, where the released notebooks also have comprehensiveness
// and sufficiency.
local lib = import '../lib/lib.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'Liu et al. 2022',
  seeds: study.few_seeds,
  data:: { [name]: lib.data[name] for name in ['babi_1'] },
  runs(data):: {
    [encoder + '_' + scorer]: {
      // Jain & Wallace's, so that each is trained once for both studies.
      config: lib.experiment(
        data, lib.encoders[encoder], lib.attention[scorer], $.training(lib.training.jain_wallace_on(data))
      ),
      attributions: {
        liu: ['attention', 'attention-x-gradient', 'gradient-x-input', 'random',
              { type: 'integrated-gradients', steps: 50, baseline: 'zero' }],
      },
      faithfulness: { liu: {
        attributions: 'liu',
        measures: ['violation', 'comprehensiveness', 'sufficiency'],
        erasures: ['delete', 'zero'],
        limit: study.pick(30, 100),
      } },
    }
    for encoder in study.pick(['bilstm'], ['bilstm', 'cnn'])
    for scorer in study.pick(['tanh'], ['tanh', 'dot'])
  },
  tables: [study.table('faithfulness', ['attributions/liu', 'faithfulness/liu'])],
}
