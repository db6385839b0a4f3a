local lib = import '../lib/lib.libsonnet';
lib.adversary(import 'newsgroups_bilstm_tanh.jsonnet', epochs=40)
