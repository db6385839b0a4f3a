// What people mark as the reason of a label, and how near saliency methods come to it (docs/how-to/rationales.md):
// film reviews, posts with up to three annotators, and sentences of SST with six.
local lib = import '../lib/lib.libsonnet';
local presets = import '../lib/presets.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'Human rationales',
  seeds: study.few_seeds,
  data:: { [name]: lib.data[name] for name in ['movies', 'hatexplain', 'sst_annotators'] },
  runs(data):: {
    [encoder]: {
      config: lib.experiment(data, lib.encoders[encoder], lib.attention.tanh, $.training(lib.training.jain_wallace)),
      attributions: { all: presets.bastings_filippova },
    }
    for encoder in ['bilstm', 'affine']
  },
  tables: [study.plausibility(['attributions/all'])],
}
