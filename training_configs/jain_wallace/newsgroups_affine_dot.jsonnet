local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.newsgroups,
  encoder=lib.encoders.affine,
  attention=lib.attention.dot,
  training=lib.training.jain_wallace,
)
