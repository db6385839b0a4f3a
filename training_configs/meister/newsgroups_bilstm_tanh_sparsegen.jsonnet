local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.newsgroups,
  encoder=lib.encoders.bilstm,
  attention=lib.attention.tanh + lib.attention.sparsegen(0.5),
  training=lib.training.meister(lr=1e-4),
)
