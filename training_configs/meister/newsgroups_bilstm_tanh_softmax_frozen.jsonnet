local lib = import '../lib/lib.libsonnet';
lib.adversary(import 'newsgroups_bilstm_tanh_softmax.jsonnet', frozen=true, loss_reduction='mean')
