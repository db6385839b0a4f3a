local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.planted(),
  encoder=lib.encoders.bilstm,
  attention=lib.attention.dot,
  training=lib.training.unpublished,
)
