local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.planted(),
  encoder=lib.encoders.affine,
  attention=lib.attention.tanh + lib.attention.softmax,
  training=lib.training.unpublished,
)
