local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.guided(lib.data.newsgroups),
  encoder=lib.encoders.affine,
  attention=lib.attention.guide,
  training=lib.training.wiegreffe_pinter,
)
