local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.imdb,
  encoder=lib.encoders.cnn,
  attention=lib.attention.tanh,
  training=lib.training.jain_wallace,
)
