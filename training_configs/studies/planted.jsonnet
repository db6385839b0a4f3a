// Sentences whose causes are known (docs/explanation/planted-corpus.md): which methods find them, in every encoder on the easy
// corpus and in a BiLSTM on the harder ones; and models that are trained to attend otherwise.
local lib = import '../lib/lib.libsonnet';
local presets = import '../lib/presets.libsonnet';
local study = import '../lib/study.libsonnet';

study {
  title: 'The planted corpus',
  data:: { [preset]: lib.data.planted(preset) for preset in ['easy', 'negation', 'conjunction', 'shortcut'] },
  runs(data)::
    local model(encoder, attention, texts=data) =
      lib.experiment(texts, lib.encoders[encoder], attention, $.training(lib.training.unpublished));
    local base = model('bilstm', lib.attention.tanh);
    local seen = { attributions: { attention: ['attention'] } };
    local explained(encoder, attention) = { config: model(encoder, attention), attributions: { debate: presets.debate } };
    { bilstm: explained('bilstm', lib.attention.tanh) } +
    if data.dataset_reader.preset != 'easy' then {} else {
      [encoder]: explained(encoder, lib.attention.tanh)
      for encoder in ['affine', 'cnn', 'transformer']
    } + {
      [encoder + '_' + projection]: explained(encoder, lib.attention.tanh + lib.attention[projection])
      for encoder in ['affine', 'bilstm']
      for projection in ['sparsemax', 'uniform']
    } + {
      // The model `bilstm` once more, for comparison with adversaries.
      base: seen { config: base },
      bilstm_dot: explained('bilstm', lib.attention.dot),
      adversary: seen { config: lib.adversary(base, study.run('base'), 0.001, epochs=study.pick(6, 20)) },
      frozen: seen { config: lib.adversary(base, study.run('base'), 0.001, frozen=true) },
      affine_guided: { config: model('affine', lib.attention.guide, lib.guided(data, study.guide('base'))) },
      // The words that make the label are impermissible.
      deceptive: {
        config: lib.deceptive(
          base { dataset_reader+: { impermissible: 'rationale' }, model+: { loss_reduction: 'mean' } }, 1, select='-deceptive_loss'
        ),
      },
    },
  tables: [
    study.causes(['attributions/debate']),
    study.agreement(['attributions/debate'], ['kendall', 'fagin:k=non-zero']),
    study.table('wiegreffe-pinter', ['runs', 'attributions/attention'], only=['base', 'adversary', 'frozen', 'affine_guided', 'affine_uniform']),
    study.table('pruthi', ['runs'], only=['deceptive']),
  ],
}
