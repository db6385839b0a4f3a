// Pruthi et al. 2020, "Learning to Deceive with Attention-Based Explanations": can attention be trained to
// hide the words that the prediction rests on? Models and training as in the released code.
local lib = import '../lib/lib.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'Pruthi et al. 2020',
  // One text per step, which is what decides the numbers: 104,000 updates of about 4 to 10 ms each on SST-Wiki, most
  // of them forward and backward passes of one text. Larger steps were not shown to give the same result.
  seeds: study.few_seeds,
  data:: { [name]: lib.data[name] for name in ['pronoun', 'sst_wiki'] },
  // The words that determine the label are impermissible.
  planted+:: { dataset_reader+: { impermissible: 'rationale' } },
  // Their embedding model attends to word vectors directly.
  encoders:: { bilstm: function(dim) lib.encoders.bilstm(dim, 64), embedding: lib.encoders.pass_through },
  runs(data):: {
    ['%s_%g' % [encoder, strength]]: {
      config: lib.deceptive(
        lib.experiment(data, $.encoders[encoder], lib.attention.linear, $.training(lib.training.pruthi)), strength,
      ),
    }
    for encoder in std.objectFields($.encoders)
    for strength in study.pick([0, 1], [0, 0.1, 1])
  },
  tables: [study.table('pruthi', ['runs'])],
}
