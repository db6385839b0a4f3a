local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.planted(),
  encoder=lib.encoders.cnn,
  attention=lib.attention.tanh,
  training=lib.training.unpublished,
)
