local lib = import '../lib/lib.libsonnet';
lib.adversary(import 'newsgroups_transformer_dot_softmax.jsonnet', loss_reduction='mean')
