// Who measures the measures: where the causes are planted, and so known, every method is scored by the
// truth, every measure of faithfulness is computed, and the two are compared. Also models whose attention
// is wrong by construction, and models that have seen erased texts. Verdicts are compared with it, too.
local lib = import '../lib/lib.libsonnet';
local presets = import '../lib/presets.libsonnet';
local study = import '../lib/study.libsonnet';

// Verdicts are about the test texts. The truth about quick methods comes from the dev texts, of which there are many.
local splits = { dev: 2000, test: 40 };
// States are small: there are hundreds of models, and what there is to learn is little.
local sizes = { bilstm: 32, affine: 64, cnn: 64, transformer: 64 };

study {
  title: 'Who measures the measures',
  seeds: study.pick([1], std.range(1, 5)),
  one_base: true,  // Every model is compared with the truth, and none with its base.
  local planted(preset, reader={}) = lib.data.planted(preset) { dataset_reader+: { sizes: splits } + reader },
  data:: {
    easy: planted('easy'),
    // Of fewer texts a Transformer does not learn it.
    negation: planted('negation', { sizes: splits { train: 8000 } }),
    conjunction: planted('conjunction'),
    // Models go by the weekday (of texts in which it says nothing they have one half right), so that it
    // is the cause of what they say.
    shortcut: planted('shortcut', { overrides: { shortcut_heldout: 0.95 }, marked: 'distractor' }),
    // Pairs (docs/how-to/pairs.md).
    question: planted('question', { sizes: splits { train: 4000 } }),
  },
  planted:: super.planted { dataset_reader+: { sizes+: { test: 30 } } },
  encoders:: study.pick(['bilstm', 'affine'], std.objectFields(sizes)),
  runs(data)::
    local asked = 'pairs' in data;
    // Without context nothing says of which aspect an opinion is; and a Transformer learns it in no short time.
    local encoders = [encoder for encoder in $.encoders if !asked || std.member(['bilstm', 'cnn'], encoder)];
    // Of questions nothing is learned for some epochs, at a lower rate for many.
    local training = if asked then lib.training.unpublished_at(4e-3) { trainer+: { num_epochs: 12 } } else
      $.training(lib.training.unpublished) + study.pick({}, { trainer+: { num_epochs: 10, patience: 3 } });
    local model(encoder, projection='softmax') =
      // In place of the sizes that are published for pairs.
      local small(dim, published=null) = lib.encoders[encoder](dim, sizes[encoder]);
      lib.experiment(data, small, lib.attention.tanh + lib.attention[projection], training);
    local judged(encoder, config, more=[]) = {
      config: config,
      attributions: {
        truth: study.pick(presets.debate, if encoder == 'transformer' then presets.transformer else presets.all),
      },
      perturbations: { verdict: presets.perturbations_of_verdicts },
      faithfulness: { all: {
        attributions: 'truth',
        measures: study.pick(presets.order_measures, presets.measures_of_many) + presets.measures_of_verdicts,
        erasures: study.pick(['delete'], ['delete', 'unk']) + more,
      } },
    };
    local trained_elsewhere(encoder) = {
      local base = model(encoder),
      [encoder + '_adversary']: judged(
        encoder, lib.adversary(base, study.run(encoder + '_softmax'), 0.001, epochs=study.pick(6, 20)) { trainer+: { patience: null } }
      ),
      // The words that make the label are impermissible.
      local hidden = base {
        dataset_reader+: { impermissible: std.get(data.dataset_reader, 'marked', 'rationale') },
        model+: { loss_reduction: 'mean' },
      },
      [encoder + '_deceptive']: judged(encoder, lib.deceptive(hidden, 1, select='-deceptive_loss')),
    };
    local with_truth(runs) = runs {
      [name + '_truth']: { config: runs[name].config, split: 'dev', attributions: { many: presets.quick } }
      for name in std.objectFields(runs)
    };
    with_truth({
      [encoder + '_softmax']: judged(encoder, model(encoder), study.pick([], ['zero', { type: 'marginal', draws: 3 }]))
      for encoder in encoders
    } + study.pick({}, {
      [encoder + '_sparsemax']: judged(encoder, model(encoder, 'sparsemax'))
      for encoder in encoders
    }) + {
      [encoder + '_erased']: judged(encoder, lib.erasure_training(model(encoder)), ['mask'])
      for encoder in study.pick(['bilstm'], encoders)
    } + std.foldl(
      function(all, encoder) all + trained_elsewhere(encoder), study.pick(['bilstm'], encoders), {}
    )),
  tables: [study.table('planted-truth', ['attributions/truth', 'attributions/many', 'perturbations/verdict', 'faithfulness/all'])]
          // Of all models it would be as long as a book.
          + study.pick([study.table('faithfulness', ['faithfulness/all'], only=[encoder + '_softmax' for encoder in $.encoders])], [])
          + [study.causes(['attributions/truth'])],
}
