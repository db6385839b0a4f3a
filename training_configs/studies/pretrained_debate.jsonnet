// The question as it is asked today: a pretrained transformer that was fine-tuned, all of its attention beside all
// other methods; and the debate itself on attention over a pretrained transformer that stays as it is.
// `make weights` fetches the transformer; in a study of your own, name another folder and its hidden_size.
local lib = import '../lib/lib.libsonnet';
local presets = import '../lib/presets.libsonnet';
local study = import '../lib/study.libsonnet';

local attention_of_layers = [
  { type: 'attention', layer: 'mean', name: 'attention-mean-layers' },
  { type: 'attention', layer: 1, name: 'attention-first-layer' },
  { type: 'attention', value_norms: true, name: 'attention-x-value-norm' },
  'attention-rollout',
  'attention-x-gradient',
];
local methods = [
  'attention',
  'gradient',
  'gradient-x-input',
  'integrated-gradients',
  { type: 'occlusion', baseline: 'mask' },
  'leave-one-out',
  'lime',
  'random',
];

study {
  title: 'Pretrained transformers',
  data:: { sst: lib.data.sst },
  planted:: super.planted { dataset_reader+: { sizes: { train: 200, dev: 50, test: 20 } } },
  weights:: 'weights/all-MiniLM-L6-v2',
  hidden_size:: 384,
  runs(data)::
    local judged(config, methods, more={}) = more {
      config: config,
      attributions: { all: methods },
      faithfulness: { scale: {
        attributions: 'all',
        measures: ['comprehensiveness', 'sufficiency', 'decision_flip'],
        erasures: ['delete', 'mask'],
      } },
    };
    local above(projection) = lib.experiment(
      data,
      lib.encoders.pretrained($.weights, $.hidden_size),
      lib.attention.tanh + lib.attention[projection],
      $.training(lib.training.unpublished { trainer+: { num_epochs: 4 } }),
    );
    {
      fine_tuned: judged(
        lib.fine_tuned(data, $.weights, lib.training.fine_tuning(epochs=study.pick(1, 3))), methods + attention_of_layers + ['lrp', 'deeplift']
      ),
    } + {
      ['frozen_' + projection]: judged(
        above(projection), methods, { perturbations: { all: import '../perturbations/all.jsonnet' } }
      )
      for projection in ['softmax', 'sparsemax', 'uniform']
    } + {
      frozen_adversary: {
        config: lib.adversary(above('softmax'), study.run('frozen_softmax'), 0.001, epochs=study.pick(1, 8)),
        attributions: { attention: ['attention'] },
      },
    },
  local all = ['runs', 'attributions/all', 'attributions/attention', 'perturbations/all'],
  tables: [
    study.agreement(
      ['attributions/all'],
      arguments=study.every_two([if std.isString(method) then method else std.get(method, 'name', method.type) for method in methods]),
    ),
    study.table('faithfulness', ['faithfulness/scale']),
    study.table('jain-wallace', all, only=['frozen_softmax', 'frozen_sparsemax']),
    study.table('wiegreffe-pinter', all, only=['frozen_softmax', 'frozen_uniform', 'frozen_adversary']),
    { command: 'models', from: ['runs'] },
  ],
}
