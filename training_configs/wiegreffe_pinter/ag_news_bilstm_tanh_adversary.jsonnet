local lib = import '../lib/lib.libsonnet';
lib.adversary(import 'ag_news_bilstm_tanh.jsonnet', epochs=40)
