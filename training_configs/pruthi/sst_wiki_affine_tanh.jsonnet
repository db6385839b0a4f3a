local lib = import '../lib/lib.libsonnet';
lib.deceptive(lib.experiment(
  data=lib.data.sst_wiki,
  encoder=lib.encoders.affine,
  attention=lib.attention.tanh,
  training=lib.training.pruthi,
))
