// Sets of interpreters, as the papers compare them; each with the control, `random`. A set is a
// list: take it as it is (training_configs/interpreters/ has a file for each), or add to it:
//
//   local presets = import '../lib/presets.libsonnet';
//   presets.jain_wallace + ['lrp', { type: 'gradient', norm: 'l1', name: 'gradient-l1' }]
//
// Every option that a paper decides is written out, whatever the default may be.

// Jain & Wallace: |gradient . embedding| of the probability, attention held fast; a token deleted
// from the text, total variation distance of the outputs.
local gradient = {
  type: 'gradient-x-input',
  of: 'probability',
  absolute: true,
  detach_attention: true,
};
local leave_one_out = { type: 'leave-one-out', at: 'input', measure: 'tvd' };

// Meister et al.: both for inputs and for hidden states, normalised over the tokens. For two
// classes |y - y_i| is the total variation distance.
local l2_gradient = { type: 'gradient', of: 'probability', norm: 'l2', normalize: true };

{
  // The norm next to gradient x input: both are called gradient, and they differ.
  jain_wallace: ['attention', gradient, l2_gradient, leave_one_out, 'random'],

  // What `gradient` may mean: x input or norm, of the probability or the logit, attention fixed or not; x input
  // keeps its sign, and is compared with and without.
  gradient_definitions: ['attention', leave_one_out, 'random'] + [
    { type: type, of: of, detach_attention: fixed }
    + { name: type + '-' + of + if fixed then '-fixed' else '' }
    + (if type == 'gradient' then { norm: 'l2' } else { absolute: false })
    for type in ['gradient-x-input', 'gradient']
    for of in ['probability', 'logit']
    for fixed in [true, false]
  ],

  // Neely & Schouten kept Jain & Wallace's code.
  neely_schouten: self.jain_wallace,

  meister: [
    'attention',
    l2_gradient,
    leave_one_out { normalize: true },
    l2_gradient { at: 'hidden', name: 'gradient-hidden' },
    leave_one_out { at: 'hidden', normalize: true, name: 'leave-one-out-hidden' },
    // Its check `mean_entropy` is their Table 1.
    'input-to-hidden',
    'random',
  ],

  // Bastings & Filippova's list of what to use instead of attention.
  bastings_filippova: [
    'attention',
    { type: 'gradient', norm: 'l2' },
    'gradient-x-input',
    { type: 'integrated-gradients', steps: 50, baseline: 'zero' },
    'lrp',
    { type: 'occlusion', baseline: 'zero', measure: 'signed' },
    'leave-one-out',
    'random',
  ],

  // Leave-one-out as they define omission: with the sign, so that what speaks for the class comes first.
  omission: { type: 'leave-one-out', measure: 'signed', name: 'leave-one-out-signed' },

  // What all of these papers' tables need, each method once: Jain & Wallace's options where they differ.
  debate: self.jain_wallace + [
    l2_gradient { at: 'hidden', name: 'gradient-hidden' },
    leave_one_out { at: 'hidden', normalize: true, name: 'leave-one-out-hidden' },
    'input-to-hidden',
    { type: 'integrated-gradients', steps: 50, baseline: 'zero' },
    'lrp',
    { type: 'occlusion', baseline: 'zero', measure: 'signed' },
  ],

  // Methods of one forward and one backward pass at most.
  quick: ['attention', 'gradient', 'gradient-x-input', 'lrp', 'signed-attention', 'random'],

  // Every method that explains any encoder. kernel-shap and lime take by far the longest.
  all: [
    'attention',
    'gradient',
    'gradient-x-input',
    'smoothgrad',
    'integrated-gradients',
    'lrp',
    'deeplift',
    'occlusion',
    'leave-one-out',
    'gradient-shap',
    'kernel-shap',
    'lime',
    'signed-attention',
    'attention-x-gradient',
    { type: 'gradient', at: 'hidden', name: 'gradient-hidden' },
    { type: 'leave-one-out', at: 'hidden', name: 'leave-one-out-hidden' },
    'input-to-hidden',
    'random',
  ],
  // And those that follow attention through the layers of a Transformer.
  transformer: self.all + [
    'attention-rollout',
    'attention-flow',
    'value-weighted-attention',
    'value-zeroing',
    'alti',
    'decompx',
    'attn-lrp',
  ],

  // Measures of faithfulness: those that the order of the scores decides, and all that any encoder allows.
  order_measures: ['comprehensiveness', 'sufficiency', 'deletion_curve', 'insertion_curve', 'decision_flip'],
  // What a verdict asks of the words that matter (docs/explanation/verdict-rule.md).
  measures_of_verdicts: ['relevance', 'direction'],
  measures: self.order_measures + [
    'leave_one_out_correlation',
    'soft_comprehensiveness',
    'soft_sufficiency',
    'infidelity',
    'sensitivity',
    'parameter_randomization',
  ],
  // What a verdict asks of other attention (docs/how-to/verdict.md).
  perturbations_of_verdicts: ['uniform', 'permutation', 'drop-top', 'instance-adversary'],
  // For studies of many models: to apply slow methods again takes longer than all else together.
  measures_of_many: [
    if std.member(['sensitivity', 'parameter_randomization'], measure) then {
      type: measure,
      [if measure == 'sensitivity' then 'samples']: 5,
      without: ['smoothgrad', 'gradient-shap', 'kernel-shap', 'lime', 'attention-flow'],
    } else measure
    for measure in self.measures
  ],
}
