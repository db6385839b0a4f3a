local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.imdb,
  encoder=lib.encoders.bilstm,
  attention=lib.attention.tanh + lib.attention.sparsemax,
  training=lib.training.neely_schouten,
)
