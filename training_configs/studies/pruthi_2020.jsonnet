// Pruthi et al. 2020, "Learning to Deceive with Attention-Based Explanations": can attention be taught
// not to show what it uses?
local lib = import '../lib/lib.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'Pruthi et al. 2020',
  data:: { [name]: lib.data[name] for name in ['pronoun', 'sst_wiki'] },
  // The words that make the label are impermissible.
  planted+:: { dataset_reader+: { impermissible: 'rationale' } },
  runs(data):: {
    ['%s_%g' % [encoder, strength]]: {
      config: lib.deceptive(
        lib.experiment(
          data, lib.encoders[encoder], lib.attention.tanh, $.training(lib.training.pruthi)
        ),
        strength,
      ),
    }
    for encoder in ['bilstm', 'affine']
    for strength in study.pick([0, 1], [0, 0.1, 1])
  },
  tables: [study.table('pruthi', ['runs'])],
}
