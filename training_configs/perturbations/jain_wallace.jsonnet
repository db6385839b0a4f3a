// Jain & Wallace 2019, section 4.2: permutations, and an adversary for each text. Every option that
// the paper or its code decides is written out.
[
  { type: 'permutation', permutations: 100 },
  {
    type: 'instance-adversary',
    sets: 5,
    steps: 500,
    lr: 0.01,
    penalty: 500,
    margin: 0.01,
    spread: 3,
    epsilon: 0.05,
    keep: 'last',
  },
  // Controls.
  'uniform',
  'random',
]
