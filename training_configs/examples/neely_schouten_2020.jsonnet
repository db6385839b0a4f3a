// An example of Neely & Schouten 2020: sparse attention. It is the run `tanh_sparsemax` of the study
// neely_schouten_2020, on SST.
local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.sst,
  encoder=lib.encoders.bilstm,
  // A scorer and a projection: many words get no weight at all.
  attention=lib.attention.tanh + lib.attention.sparsemax,
  // As Jain & Wallace, but a mean over the batch, bigger batches and early stopping.
  training=lib.training.neely_schouten,
)
