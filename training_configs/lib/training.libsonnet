// Training as published, one function a paper: model settings, batches, trainer.
// All of them select the best epoch on dev. Jain & Wallace's published table, and Wiegreffe &
// Pinter's code, select on the test set.
local bucket(batch_size, padding_noise) = {
  batch_sampler: {
    type: 'bucket',
    batch_size: batch_size,
    sorting_keys: ['tokens'],
    padding_noise: padding_noise,
  },
};

local preset(loss_reduction, batch_size, lr, attention_lr=lr, decoder_lr=lr / 2, trainer={}) = {
  // Jain & Wallace weigh the positive class by neg / pos; the others kept their code.
  model: { loss_reduction: loss_reduction, class_weights: 'balanced' },
  data_loader: bucket(batch_size, 0.1),
  // Bigger batches are faster and change no prediction.
  validation_data_loader: bucket(128, 0),
  trainer: {
    validation_metric: '+auc',
    optimizer: {
      type: 'fused_adam',
      lr: lr,
      amsgrad: true,
      weight_decay: 1e-5,
      parameter_groups: [
        // None on attention, in all of the papers.
        [['^attention\\.'], { weight_decay: 0, lr: attention_lr }],
        // The papers' decoders have one logit. Of two, each takes the step of one, and their
        // difference twice that: on SST enough to lower the agreement of attention with the
        // gradient by .03.
        [['^decoder\\.'], { lr: decoder_lr }],
      ],
    },
    // The last checkpoint is enough to go on from; the best weights are kept next to it.
    checkpointer: { keep_most_recent_by_count: 1 },
  } + trainer,
};

{
  // The loss is a sum over the batch: with a mean, weight decay would be 32 times stronger.
  jain_wallace: preset('sum', batch_size=32, lr=1e-3, trainer={ num_epochs: 8 }),

  // Of pairs, batches and epochs are those that the data say, and the loss is a mean.
  jain_wallace_on(data): if !('pairs' in data) then self.jain_wallace else
    preset('mean', data.pairs.batch_size, lr=1e-3, decoder_lr=1e-3, trainer={
      num_epochs: data.pairs.epochs,
      validation_metric: '+accuracy',
      // bAbI 1 is learned to the last question long before.
      callbacks: [{ type: 'stop_when_perfect' }],
    }) { model: { loss_reduction: 'mean' } },

  // The same with every parameter at the full rate: for what is in no paper.
  unpublished: self.unpublished_at(1e-3),
  unpublished_at(lr): preset('sum', batch_size=32, lr=lr, decoder_lr=lr, trainer={ num_epochs: 8 }),

  // As Jain & Wallace, but a mean, bigger batches and early stopping.
  neely_schouten: preset('mean', batch_size=64, lr=1e-3, trainer={ num_epochs: 40, patience: 10 }),

  // Wiegreffe & Pinter took over Jain & Wallace's settings for base and uniform models.
  wiegreffe_pinter: self.jain_wallace,

  // Pruthi et al., as in their released code: one text per step, Adam without decay, no class weights, all
  // epochs, the best one by accuracy on dev. All vectors start from the standard normal distribution.
  pruthi: {
    model: {
      loss_reduction: 'mean',
      initializer: { regexes: [['^text_field_embedder\\.', { type: 'normal', mean: 0, std: 1 }]] },
    },
    data_loader: { batch_size: 1, shuffle: true },
    validation_data_loader: bucket(128, 0),
    trainer: {
      num_epochs: 15,
      validation_metric: '+accuracy',
      optimizer: { type: 'fused_adam', lr: 1e-3 },
      checkpointer: { keep_most_recent_by_count: 1 },
    },
  },

  // lr 1e-4 for the BiLSTM and 1e-5 for the Transformer; the attention's times 1 or 10. The number
  // of epochs is not published: with these, models reach the published accuracy on SST. Accuracy on dev selects
  // the epoch, and nothing selects between the two rates.
  meister(lr=1e-4, attention_factor=1, epochs=40):
    preset('mean', batch_size=32, lr=lr, attention_lr=lr * attention_factor, trainer={
      num_epochs: epochs,
      patience: 10,
      validation_metric: '+accuracy',
    }),

  // A pretrained transformer, all of it trained further: Devlin et al. 2019, appendix A.3.
  fine_tuning(epochs=3, lr=2e-5, batch_size=32): {
    model: {},
    data_loader: bucket(batch_size, 0.1),
    validation_data_loader: bucket(128, 0),
    trainer: {
      num_epochs: epochs,
      validation_metric: '+accuracy',
      grad_norm: 1,
      optimizer: {
        type: 'huggingface_adamw',
        lr: lr,
        weight_decay: 0.01,
        parameter_groups: [[['bias', 'LayerNorm', 'layer_norm'], { weight_decay: 0 }]],
      },
      // The first tenth of all steps warms up, the others cool down.
      learning_rate_scheduler: { type: 'slanted_triangular', cut_frac: 0.1 },
      checkpointer: { keep_most_recent_by_count: 1 },
    },
  },

  // The same for `encoders.pretrained` with `trained`: what is above it begins at random, and takes larger
  // steps.
  fine_tuning_below(epochs=3, lr=2e-5, batch_size=32, above_lr=1e-3):
    self.fine_tuning(epochs, lr, batch_size) { trainer+: { optimizer+: { parameter_groups: [
      [['^text_field_embedder\\..*(bias|LayerNorm|layer_norm)'], { weight_decay: 0 }],
      [['^(encoder|attention|decoder)\\.'], { lr: above_lr }],
    ] } } },
}
