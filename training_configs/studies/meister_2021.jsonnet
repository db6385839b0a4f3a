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
    ['sparsegen_' + lambda]: lib.attention.sparsegen(lambda)
    for lambda in study.pick([0.5, 0.75], [-1, 0.25, 0.5, 0.75])
  },
  // Of each encoder: scorer, learning rate, and how many times that an adversary's attention learns at.
  // At 1e-5 it would stay where it began.
  encoders:: { bilstm: ['tanh', 1e-4, 1] } + study.pick({}, { transformer: ['dot', 1e-5, 10] }),
  runs(data)::
    local model(encoder, projection, attention_factor=1) = lib.experiment(
      data,
      lib.encoders[encoder],
      lib.attention[$.encoders[encoder][0]] + $.projections[projection],
      $.training(lib.training.meister($.encoders[encoder][1], attention_factor)),
    );
    {
      [encoder + '_' + projection]: {
        config: model(encoder, projection),
        attributions: { meister: presets.meister },
      }
      for encoder in std.objectFields($.encoders)
      for projection in std.objectFields($.projections)
    } + {
      [encoder + '_' + kind]: {
        config: lib.adversary(
          model(encoder, 'softmax', attention_factor=$.encoders[encoder][2]),
          study.run(encoder + '_softmax'),
          // Not published. A frozen model has more to lose by other attention.
          { adversary: 0.02, frozen: 0.2 }[kind],
          frozen=kind == 'frozen',
        ),
        attributions: { attention: ['attention'] },
      }
      for encoder in std.objectFields($.encoders)
      for kind in ['adversary', 'frozen']
    },
  tables: [study.table('meister', ['attributions/meister', 'attributions/attention'])],
}
