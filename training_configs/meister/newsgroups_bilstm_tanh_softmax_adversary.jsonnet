local lib = import '../lib/lib.libsonnet';
lib.adversary(import 'newsgroups_bilstm_tanh_softmax.jsonnet', loss_reduction='mean')
