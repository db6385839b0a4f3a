local lib = import '../lib/lib.libsonnet';
lib.deceptive(lib.experiment(
  data=lib.data.pronoun,
  encoder=lib.encoders.bilstm,
  attention=lib.attention.tanh,
  training=lib.training.pruthi,
))
