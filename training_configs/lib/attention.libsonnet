// Attention is a scorer and a projection: `attention.tanh + attention.sparsemax`.
// The papers' names for the scorers; without a projection it is softmax.
{
  tanh: { scorer: 'additive', projection: 'softmax' },
  dot: { scorer: 'scaled_dot', projection: 'softmax' },
  // Neely & Schouten's name for the same.
  sdp: self.dot,
  // Pruthi et al.: linear in the states, neither scaled nor squashed.
  linear: { scorer: 'linear', projection: 'softmax' },

  softmax: { projection: 'softmax' },
  sparsemax: { projection: 'sparsemax' },
  entmax15: { projection: 'entmax15' },
  entmax(alpha, learned=false): { projection: { type: 'entmax', alpha: alpha, learned: learned } },
  sparsegen(lambda): { projection: { type: 'sparsegen', lambda_: lambda } },
  uniform: { projection: 'uniform' },
  // Taken from files of another model: see counterfactual.libsonnet.
  guide: { projection: 'guide' },
}
