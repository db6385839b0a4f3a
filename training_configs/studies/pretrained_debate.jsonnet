// The question as it is asked today: a pretrained transformer that was fine-tuned, all of its attention next to all
// other methods; and the debate itself on attention over a pretrained transformer that stays as it is.
// `make weights` fetches the transformer; in a study of your own, name another folder and its hidden_size.
//
// A transformer takes a pass for every set of words that is asked for, so that few texts are explained and
// judged: `--limit 30` of each seed, spread evenly over the test sentences, by calculation about 70
// minutes of a core (the plan, which knows neither the length of the sentences nor the erasure, says twice that).
// Sentences are the treebank's own: the papers' version has lost its punctuation, and all short ones.
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
  { type: 'lime', samples: 128 },
  'random',
];

study {
  title: 'Pretrained transformers',
  seeds: study.few_seeds,
  data:: { sst: lib.data.sst_trees },
  planted:: super.planted { dataset_reader+: { sizes: { train: 200, dev: 50, test: 20 } } },
  weights:: 'weights/all-MiniLM-L6-v2',
  hidden_size:: 384,
  // By dev accuracy of seed 1: .843 and .885 after the first two epochs at 5e-5; .820, .851 and .850 at 2e-5, but
  // on the papers' version of the sentences, so that it is not the rate alone that differs.
  fine_tuning:: lib.training.fine_tuning(epochs=study.pick(1, 3), lr=5e-5),
  runs(data)::
    local explained(config, methods, more={}) = more { config: config, attributions: { all: methods } };
    local judged = { faithfulness: { scale: {
      attributions: 'all',
      measures: ['comprehensiveness', 'sufficiency'],
      // As the text without these words: what is put in their place costs twice as much here.
      erasures: ['delete'],
    } } };
    local perturbed = { perturbations: { all: import '../perturbations/all.jsonnet' } };
    local above(projection) = lib.experiment(
      data,
      lib.encoders.pretrained($.weights, $.hidden_size),
      lib.attention.tanh + lib.attention[projection],
      $.training(lib.training.unpublished { trainer+: { num_epochs: 4 } }),
    );
    {
      fine_tuned: explained(
        lib.fine_tuned(data, $.weights, $.fine_tuning), methods + attention_of_layers + ['lrp', 'deeplift'], judged
      ),
      frozen_softmax: explained(above('softmax'), methods, judged + perturbed),
      frozen_sparsemax: explained(above('sparsemax'), methods, perturbed),
      // Its attention says nothing: what is asked is how well it predicts.
      frozen_uniform: { config: above('uniform'), attributions: { attention: ['attention'] } },
      frozen_adversary: {
        config: lib.adversary(above('softmax'), study.run('frozen_softmax'), 0.001, epochs=study.pick(1, 5)),
        attributions: { attention: ['attention'] },
      },
    },
  local all = ['runs', 'attributions/all', 'attributions/attention', 'perturbations/all'],
  tables: [
    // Of each model all of its methods.
    study.agreement(['attributions/all'], arguments=['--absolute']),
    study.table('faithfulness', ['faithfulness/scale']),
    study.table('jain-wallace', all, only=['frozen_softmax', 'frozen_sparsemax']),
    study.table('wiegreffe-pinter', all, only=['frozen_softmax', 'frozen_uniform', 'frozen_adversary']),
    { command: 'models', from: ['runs'] },
  ],
}
