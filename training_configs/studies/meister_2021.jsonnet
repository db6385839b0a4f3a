// Meister et al. 2021, "Is Sparse Attention more Interpretable?": what hidden states stand for, a
// sweep over the sparsity of attention, and adversaries of the base, frozen and not.
local lib = import '../lib/lib.libsonnet';
local presets = import '../lib/presets.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'Meister et al. 2021',
  data:: { [name]: lib.data[name] for name in ['sst', 'imdb', 'newsgroups'] },
  // Sparsemax is sparsegen at 0.
  projections:: { softmax: lib.attention.softmax, sparsemax: lib.attention.sparsemax } + {
    ['sparsegen_%g' % lambda]: lib.attention.sparsegen(lambda)
    for lambda in study.pick([0.5, 0.75], [-1, 0.25, 0.5, 0.75])
  },
  // Encoder, scorer, and training: attention learns at the rate of the rest or at ten times that, as the paper says
  // without saying which. Both are trained, and compared with print each by itself.
  models:: {
    bilstm: ['bilstm', 'tanh', lib.training.meister(1e-4)],
  } + study.pick({}, {
    bilstm_tenfold: ['bilstm', 'tanh', lib.training.meister(1e-4, 10)],
    transformer: ['transformer', 'dot', lib.training.meister(1e-5, 10, epochs=20)],
    transformer_same: ['transformer', 'dot', lib.training.meister(1e-5, epochs=20)],
  }),
  // The training of adversaries. A Transformer's attention stays near uniform, as it begins: one that shall leave it
  // learns at Wiegreffe & Pinter's rate, 1e-3, and the rest follows at 1e-4.
  adversaries:: { bilstm: lib.training.meister(1e-4) } + study.pick({}, {
    transformer: lib.training.meister(1e-4, 10, epochs=20),
  }),
  // What other attention is worth is not published: three powers of ten, whatever they give, for the whole curve.
  lambdas:: study.pick([0.02], [0.002, 0.02, 0.2, 2]),
  runs(data)::
    // Jsonnet computes a field again whenever it is asked for, and a local once.
    local models = $.models, adversaries = $.adversaries, projections = $.projections;
    local model(name, projection, training=models[name][2]) =
      local attention = lib.attention[models[name][1]] + projections[projection];
      lib.experiment(data, lib.encoders[models[name][0]], attention, $.training(training));
    {
      [name + '_' + projection]: { config: model(name, projection), attributions: { meister: presets.meister } }
      for name in std.objectFields(models)
      for projection in std.objectFields(projections)
    } + {
      ['%s_%s_%g' % [name, kind, lambda]]: study.few {
        // A mean, as their other losses.
        config: lib.adversary(
          model(name, 'softmax', adversaries[name]),
          study.run(name + '_softmax'),
          lambda,
          frozen=kind == 'frozen',
          loss_reduction='mean',
        ),
        attributions: { attention: ['attention'] },
      }
      for name in std.objectFields(adversaries)
      for kind in ['adversary', 'frozen']
      for lambda in $.lambdas
    },
  tables: [study.table('meister', ['attributions/meister', 'attributions/attention'])],
}
