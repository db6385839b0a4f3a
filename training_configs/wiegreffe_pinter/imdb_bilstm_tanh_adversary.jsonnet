local lib = import '../lib/lib.libsonnet';
lib.adversary(import 'imdb_bilstm_tanh.jsonnet', epochs=40)
