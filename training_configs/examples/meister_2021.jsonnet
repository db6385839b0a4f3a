// An example of Meister et al. 2021: attention as sparse as lambda makes it. It is the run
// `bilstm_sparsegen_0.5` of the study meister_2021, on SST.
local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.sst,
  encoder=lib.encoders.bilstm,
  // Below 1; sparsemax at 0, and the sparser the higher.
  attention=lib.attention.tanh + lib.attention.sparsegen(0.5),
  // Of a BiLSTM; the study has another rate for a Transformer.
  training=lib.training.meister(lr=1e-4),
)
