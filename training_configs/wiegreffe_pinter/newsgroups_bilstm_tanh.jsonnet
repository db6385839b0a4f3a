local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.newsgroups,
  encoder=lib.encoders.bilstm,
  attention=lib.attention.tanh,
  training=lib.training.wiegreffe_pinter,
)
