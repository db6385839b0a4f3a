// An example of Jain & Wallace 2019: a BiLSTM with tanh attention on SST, as they trained it. It is the
// run `bilstm_tanh` of the study jain_wallace_2019; `allennlp study configs jain_wallace_2019` lists
// the others.
local lib = import '../lib/lib.libsonnet';
lib.experiment(
  // Which reader, files, vocabulary and word vectors; below the folder ATTENTION_EXPLAIN_DATA.
  data=lib.data.sst,
  encoder=lib.encoders.bilstm,
  // A scorer, and softmax unless a projection is added to it.
  attention=lib.attention.tanh,
  // Optimiser, batches, epochs and loss as published.
  training=lib.training.jain_wallace,
)
