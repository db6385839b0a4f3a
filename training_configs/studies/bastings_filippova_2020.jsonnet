// Bastings & Filippova 2020, "The elephant in the interpretability room": all saliency methods against
// attention and against each other, for attention of three kinds.
local lib = import '../lib/lib.libsonnet';
local presets = import '../lib/presets.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'Bastings & Filippova 2020',
  data:: { [name]: lib.data[name] for name in ['sst', 'imdb', 'newsgroups', 'ag_news'] },
  runs(data):: {
    [encoder + '_' + projection]: {
      config: lib.experiment(
        data,
        lib.encoders[encoder],
        lib.attention.tanh + lib.attention[projection],
        $.training(lib.training.jain_wallace),
      ),
      attributions: {
        all: study.pick(presets.bastings_filippova, presets.bastings_filippova + ['deeplift', 'smoothgrad', 'gradient-shap']),
      },
    }
    for encoder in study.pick(['bilstm'], ['bilstm', 'affine'])
    for projection in study.pick(['softmax', 'sparsemax'], ['softmax', 'sparsemax', 'entmax15'])
  },
  tables:
    [study.agreement(['attributions/all'], ['kendall', 'fagin:k=non-zero'])]
    + study.pick([study.causes(['attributions/all'])], []),
}
