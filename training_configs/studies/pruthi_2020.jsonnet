// Pruthi et al. 2020, "Learning to Deceive with Attention-Based Explanations": can attention be taught
// not to show what it uses?
local lib = import '../lib/lib.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'Pruthi et al. 2020',
  // Six ways to train, each with three strengths.
  seeds: study.few_seeds,
  data:: { [name]: lib.data[name] for name in ['pronoun', 'sst_wiki'] },
  // The words that make the label are impermissible.
  planted+:: { dataset_reader+: { impermissible: 'rationale' } },
  // Ways of training, of which the one whose honest model does best on dev is judged. All stop early on dev.
  regularised:: study.pick({ plain: [0, 1e-5] }, { plain: [0, 1e-5], dropout: [0.5, 1e-5], both: [0.5, 1e-3] }),
  runs(data):: {
    ['%s_%s_%g' % [encoder, way, strength]]: {
      config: lib.deceptive(
        lib.experiment(
          data, lib.encoders[encoder], lib.attention.tanh, $.training(lib.training.pruthi)
        ) + {
          model+: { [if $.regularised[way][0] > 0 then 'dropout']: $.regularised[way][0] },
          trainer+: { optimizer+: { weight_decay: $.regularised[way][1] } },
        },
        strength,
      ),
    }
    for encoder in ['bilstm', 'affine']
    for way in std.objectFields($.regularised)
    for strength in study.pick([0, 1], [0, 0.1, 1])
  },
  tables: [study.table('pruthi', ['runs'])],
}
