// Who measures the measures: where the causes are planted, and so known, every method is scored by the
// truth, every measure of faithfulness is computed, and the two are compared. Also models whose attention
// is wrong by construction, and models that have seen erased texts.
local lib = import '../lib/lib.libsonnet';
local presets = import '../lib/presets.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'Who measures the measures',
  seeds: study.pick([1], std.range(1, 5)),
  data:: {
    [preset]: lib.data.planted(preset) { dataset_reader+: { sizes+: { test: 60 } } }
    for preset in ['easy', 'negation', 'conjunction', 'shortcut']
  },
  planted+:: { dataset_reader+: { sizes+: { test: 30 } } },
  encoders:: study.pick(['bilstm', 'affine'], ['bilstm', 'affine', 'cnn', 'transformer']),
  projections:: study.pick(['softmax'], ['softmax', 'sparsemax']),
  measures:: [
    'comprehensiveness',
    'sufficiency',
    'deletion_curve',
    'insertion_curve',
    'decision_flip',
    'leave_one_out_correlation',
    'soft_comprehensiveness',
    'soft_sufficiency',
    'infidelity',
    'sensitivity',
    'parameter_randomization',
  ],
  runs(data)::
    local model(encoder, projection) =
      lib.experiment(
        data, lib.encoders[encoder], lib.attention.tanh + lib.attention[projection], $.training(lib.training.unpublished)
      );
    local judged(encoder, config, erasures=['delete', 'zero', 'unk', 'marginal']) = {
      config: config,
      attributions: {
        truth: study.pick(presets.debate, if encoder == 'transformer' then presets.transformer else presets.all),
      },
      faithfulness: {
        all: {
          attributions: 'truth',
          measures: study.pick($.measures[0:5], $.measures),
          erasures: study.pick([erasures[0], 'unk'], erasures),
        },
      },
    };
    local base = model('bilstm', 'softmax');
    {
      [encoder + '_' + projection]: judged(encoder, model(encoder, projection))
      for encoder in $.encoders
      for projection in $.projections
    } + {
      [encoder + '_erased']: judged(
        encoder, lib.erasure_training(model(encoder, 'softmax')), ['mask', 'delete', 'zero', 'unk', 'marginal']
      )
      for encoder in study.pick(['bilstm'], $.encoders)
    } + {
      adversary: judged('bilstm', lib.adversary(base, study.run('bilstm_softmax'), 0.001, epochs=study.pick(6, 20))),
      // The words that make the label are impermissible.
      deceptive: judged('bilstm', lib.deceptive(
        base { dataset_reader+: { impermissible: 'rationale' }, model+: { loss_reduction: 'mean' } }, 1
      )),
    },
  tables: [
    study.table('planted-truth', ['attributions/truth', 'faithfulness/all']),
    study.table('faithfulness', ['faithfulness/all'], only=[encoder + '_softmax' for encoder in $.encoders]),
    study.causes(['attributions/truth']),
  ],
}
