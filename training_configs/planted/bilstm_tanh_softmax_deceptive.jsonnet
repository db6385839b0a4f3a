// The words that make the label are impermissible.
local lib = import '../lib/lib.libsonnet';
lib.deceptive(
  (import 'bilstm_tanh_softmax.jsonnet') + {
    dataset_reader+: { impermissible: 'rationale' },
    model+: { loss_reduction: 'mean' },
  },
)
