// An example of Wiegreffe & Pinter 2019: an adversary, trained to give the outputs of a base with other
// attention. It is the run `adversary_0.001` of the study wiegreffe_pinter_2019. Train its base first:
//
//   allennlp study config wiegreffe_pinter_2019 sst base -o base.jsonnet
//   allennlp train base.jsonnet -s runs/base
//
// ATTENTION_EXPLAIN_BASE names another base, ATTENTION_EXPLAIN_LAMBDA another worth of other attention.
local lib = import '../lib/lib.libsonnet';
lib.adversary(
  // The architecture of the adversary, which is the base's.
  lib.experiment(
    data=lib.data.sst,
    encoder=lib.encoders.bilstm,
    attention=lib.attention.tanh,
    training=lib.training.wiegreffe_pinter,
  ),
  // As published for SST; 40 elsewhere.
  epochs=80,
)
