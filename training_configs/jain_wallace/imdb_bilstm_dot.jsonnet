local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.imdb,
  encoder=lib.encoders.bilstm,
  attention=lib.attention.dot,
  training=lib.training.jain_wallace,
)
