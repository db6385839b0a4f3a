local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.sst,
  encoder=lib.encoders.affine,
  attention=lib.attention.tanh,
  training=lib.training.jain_wallace,
)
