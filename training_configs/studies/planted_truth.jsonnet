// Who measures the measures: where the causes are planted, and so known, every method is scored by the
// truth, every measure of faithfulness is computed, and the two are compared. Also models whose attention
// is wrong by construction, and models that have seen erased texts.
local lib = import '../lib/lib.libsonnet';
local presets = import '../lib/presets.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'Who measures the measures',
  seeds: study.pick([1], std.range(1, 5)),
  local few(texts, number) = texts { dataset_reader+: { sizes+: { test: number } } },
  data:: { [preset]: few(lib.data.planted(preset), 60) for preset in ['easy', 'negation', 'conjunction', 'shortcut'] },
  planted:: few(super.planted, 30),
  encoders:: study.pick(['bilstm', 'affine'], ['bilstm', 'affine', 'cnn', 'transformer']),
  runs(data)::
    local model(encoder, projection='softmax') = lib.experiment(
      data, lib.encoders[encoder], lib.attention.tanh + lib.attention[projection], $.training(lib.training.unpublished)
    );
    local judged(encoder, config, more=[]) = {
      config: config,
      attributions: {
        truth: study.pick(presets.debate, if encoder == 'transformer' then presets.transformer else presets.all),
      },
      faithfulness: { all: {
        attributions: 'truth',
        measures: study.pick(presets.order_measures, presets.measures),
        erasures: more + study.pick(['delete'], ['delete', 'zero', 'unk', 'marginal']),
      } },
    };
    local base = model('bilstm');
    {
      [encoder + '_' + projection]: judged(encoder, model(encoder, projection))
      for encoder in $.encoders
      for projection in study.pick(['softmax'], ['softmax', 'sparsemax'])
    } + {
      [encoder + '_erased']: judged(encoder, lib.erasure_training(model(encoder)), ['mask'])
      for encoder in study.pick(['bilstm'], $.encoders)
    } + {
      adversary: judged('bilstm', lib.adversary(base, study.run('bilstm_softmax'), 0.001, epochs=study.pick(6, 20))),
      // The words that make the label are impermissible.
      local hidden = base { dataset_reader+: { impermissible: 'rationale' }, model+: { loss_reduction: 'mean' } },
      deceptive: judged('bilstm', lib.deceptive(hidden, 1)),
    },
  tables: [study.table('planted-truth', ['attributions/truth', 'faithfulness/all'])]
          + [study.table('faithfulness', ['faithfulness/all'], only=[encoder + '_softmax' for encoder in $.encoders])]
          + [study.causes(['attributions/truth'])],
}
