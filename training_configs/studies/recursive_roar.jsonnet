// Madsen et al. 2021, "Evaluating the Faithfulness of Importance Measures in NLP by Recursively Masking
// Allegedly Important Tokens and Retraining": does a model do without the tokens that a method calls
// important? Each run is trained on texts whose next share of tokens to mask was named by the run before it,
// in train, dev and test; the order by chance is the control.
local lib = import '../lib/lib.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'Madsen et al. 2021',
  seeds: study.few_seeds,
  data:: { sst: lib.data.sst },
  // Methods, by the names of their runs.
  chains:: {
    [method]: { method: method, ranking: 'size' }
    for method in study.pick(
      ['attention', 'lrp'],
      ['attention', 'gradient-x-input', 'integrated-gradients', 'lrp', 'leave-one-out'],
    )
  } + {
    // What happens if masks tell more of the class.
    lrp_signed: { method: 'lrp', ranking: 'signed' },
  },
  // Shares of the tokens, in percent, before all of them.
  steps:: [25, 50, 75],
  runs(data)::
    // With Jain & Wallace's settings the base is that of the other studies, and trained once for all of them.
    local model(texts) = {
      config: lib.experiment(texts, lib.encoders.bilstm, lib.attention.tanh, $.training(lib.training.jain_wallace)),
    };
    local run(chain, step) = if step == 0 then 'base' else chain + '_' + step;
    // With all tokens masked it does not matter by whom.
    { base: model(data), everything_100: model(lib.erased(data, 1)) } + {
      [run('random', step)]: model(lib.erased(data, step / 100))
      for step in $.steps
    } + {
      [run(chain, $.steps[position])]: model(lib.erased(
        data,
        $.steps[position] / 100,
        $.chains[chain].method,
        study.scores(run(chain, ([0] + $.steps)[position]), $.chains[chain].method),
        $.chains[chain].ranking,
      ))
      for chain in std.objectFields($.chains)
      for position in std.range(0, std.length($.steps) - 1)
    },
  tables: [study.table('recursive-roar', ['runs'])],
}
