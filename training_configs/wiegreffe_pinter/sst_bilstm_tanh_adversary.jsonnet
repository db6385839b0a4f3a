local lib = import '../lib/lib.libsonnet';
lib.adversary(import 'sst_bilstm_tanh.jsonnet', epochs=80)
