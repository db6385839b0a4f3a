local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.imdb,
  encoder=lib.encoders.bilstm,
  attention=lib.attention.tanh + lib.attention.softmax,
  training=lib.training.neely_schouten,
)
