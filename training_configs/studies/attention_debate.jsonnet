// All of the debate for one data set, in one report. For your own data, see docs/how-to/studies.md.
local lib = import '../lib/lib.libsonnet';
local presets = import '../lib/presets.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'The attention debate',
  data:: { [name]: lib.data[name] for name in ['sst', 'imdb', 'newsgroups', 'ag_news'] },
  planted+:: { dataset_reader+: { impermissible: 'rationale' } },
  // Does the data say what is impermissible (Pruthi et al.), and what made the label?
  impermissible:: study.pick(true, false),
  rationales:: study.pick(true, false),
  lambdas:: study.pick([0.002], [0, 0.001, 0.002, 0.02]),
  runs(data)::
    local model(encoder, attention, texts=data) =
      lib.experiment(texts, lib.encoders[encoder], attention, $.training(lib.training.jain_wallace));
    local base = model('bilstm', lib.attention.tanh);
    local seen = { attributions: { attention: ['attention'] } };
    local few = study.few;
    local explained = {
      attributions: { debate: presets.debate },
      perturbations: { all: import '../perturbations/all.jsonnet' },
    };
    {
      bilstm: explained { config: base },
      bilstm_sparsemax: explained { config: model('bilstm', lib.attention.tanh + lib.attention.sparsemax) },
      bilstm_uniform: seen { config: model('bilstm', lib.attention.uniform) },
      affine: seen { config: model('affine', lib.attention.tanh) },
      affine_uniform: seen { config: model('affine', lib.attention.uniform) },
      affine_guided: few { config: model('affine', lib.attention.guide, lib.guided(data, study.guide('bilstm'))) },
      // Meister et al. state no lambda; at this one distances on SST are about theirs.
      frozen: seen + few { config: lib.adversary(base, study.run('bilstm'), 0.2, frozen=true) },
    } + {
      ['adversary_' + lambda]: seen + few { config: lib.adversary(base, study.run('bilstm'), lambda, epochs=study.epochs(data)) }
      for lambda in $.lambdas
    } + (if !$.impermissible then {} else {
      ['deceptive_' + strength]: { config: lib.deceptive(base { model+: { loss_reduction: 'mean' } }, strength, select='-deceptive_loss') }
      for strength in [0, 1]
    }),
  // Methods for inputs; hidden states are another question (Meister et al.).
  compared:: ['attention', 'gradient', 'gradient-x-input', 'integrated-gradients', 'lrp', 'occlusion', 'leave-one-out']
             + (if $.rationales then ['rationale'] else []),
  local all = ['runs', 'attributions/debate', 'attributions/attention', 'perturbations/all'],
  local papers = ['jain-wallace', 'serrano-smith', 'wiegreffe-pinter', 'neely-schouten', 'meister'],
  tables: [study.table(paper, all) for paper in papers]
  + [study.agreement(['attributions/debate'], ['kendall', 'fagin:k=non-zero'], arguments=study.every_two($.compared))]
  + (if $.impermissible then [study.table('pruthi', ['runs'])] else [])
  + (if $.rationales then [study.causes(['attributions/debate'])] else []),
}
