local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.sst,
  encoder=lib.encoders.bilstm,
  attention=lib.attention.tanh + lib.attention.softmax,
  training=lib.training.meister(lr=1e-4),
)
