local lib = import '../lib/lib.libsonnet';
lib.adversary(import 'sst_transformer_dot_softmax.jsonnet', frozen=true, loss_reduction='mean')
