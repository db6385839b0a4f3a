local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.newsgroups,
  encoder=lib.encoders.affine,
  attention=lib.attention.tanh + lib.attention.uniform,
  training=lib.training.wiegreffe_pinter,
)
