local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.imdb,
  encoder=lib.encoders.bilstm,
  attention=lib.attention.tanh,
  training=lib.training.wiegreffe_pinter,
)
