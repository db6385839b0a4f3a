local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.planted('negation'),
  encoder=lib.encoders.bilstm,
  attention=lib.attention.tanh,
  training=lib.training.unpublished,
)
