local lib = import '../lib/lib.libsonnet';
lib.adversary(import 'imdb_transformer_dot_softmax.jsonnet', loss_reduction='mean')
