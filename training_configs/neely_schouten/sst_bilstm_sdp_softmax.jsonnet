local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.sst,
  encoder=lib.encoders.bilstm,
  attention=lib.attention.sdp + lib.attention.softmax,
  training=lib.training.neely_schouten,
)
