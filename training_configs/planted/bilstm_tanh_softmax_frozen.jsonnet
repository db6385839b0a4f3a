local lib = import '../lib/lib.libsonnet';
lib.adversary(import 'bilstm_tanh_softmax.jsonnet', frozen=true)
