local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.sst,
  encoder=lib.encoders.transformer,
  attention=lib.attention.dot + lib.attention.sparsemax,
  training=lib.training.meister(lr=1e-5),
)
