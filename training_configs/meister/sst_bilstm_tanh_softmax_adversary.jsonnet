local lib = import '../lib/lib.libsonnet';
lib.adversary(import 'sst_bilstm_tanh_softmax.jsonnet', loss_reduction='mean')
