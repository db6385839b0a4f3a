// All parts under one name, and the function that makes a config of them:
//
//   local lib = import '../lib/lib.libsonnet';
//   lib.experiment(lib.data.sst, lib.encoders.bilstm, lib.attention.tanh, lib.training.jain_wallace)
//
// The result is a plain AllenNLP config: change anything with `+ { trainer+: { num_epochs: 3 } }`.
local seed = std.parseInt(std.extVar('ATTENTION_EXPLAIN_SEED'));

// And lib.adversary, lib.deceptive, lib.guided, lib.erasure_training, lib.erased.
(import 'counterfactual.libsonnet') + {
  data: import 'data.libsonnet',
  encoders: import 'encoders.libsonnet',
  attention: import 'attention.libsonnet',
  training: import 'training.libsonnet',

  experiment(data, encoder, attention, training):
    // A pretrained encoder reads texts in its own way, and has vectors of its own.
    if std.isObject(encoder) then self.experiment(encoder.below(data), encoder.above, attention, training) else
    local dim = std.get(data, 'dim', data.embedding.embedding_dim);
    // Data of pairs say which sizes were published for them.
    local sized = if 'pairs' in data then encoder(dim, data.pairs.hidden) else encoder(dim);
    data.paths + {
      random_seed: seed,
      numpy_seed: seed,
      pytorch_seed: seed,
      dataset_reader: data.dataset_reader,
      [if 'validation_dataset_reader' in data then 'validation_dataset_reader']: data.validation_dataset_reader,
      // Words and class weights are those of the training split alone.
      datasets_for_vocab_creation: ['train'],
      vocabulary: data.vocabulary,
      model: {
        type: 'attention_classifier',
        text_field_embedder: { token_embedders: { tokens: data.embedding } },
        encoder: sized,
        attention: attention,
      } + (
        if 'pairs' in data then {
          type: 'attention_pair_classifier',
          // An encoder and word vectors of its own. What has no last state is pooled, as published.
          query_encoder: {
            encoder: sized,
            pooling: std.get({ lstm: 'last', cnn: 'max' }, sized.type, 'mean'),
            embedder: { token_embedders: { tokens: data.embedding } },
          },
        } else {}
      ) + training.model,
      data_loader: training.data_loader,
      validation_data_loader: training.validation_data_loader,
      trainer: training.trainer + (
        // Nothing to group where nothing is trained; a dot with a query has no parameters.
        if std.member(['uniform', 'guide'], attention.projection)
           || ('pairs' in data && attention.scorer == 'scaled_dot') then { optimizer+: {
          parameter_groups: [group for group in super.parameter_groups if group[0] != ['^attention\\.']],
        } } else {}
      ),
    },

  // A pretrained transformer as the classifier, from a folder in Hugging Face's layout or a name of its
  // hub. Words are what stands between spaces, or the file's own tokens.
  fine_tuned(data, model_name, training=self.training.fine_tuning()): data.paths + {
    random_seed: seed,
    numpy_seed: seed,
    pytorch_seed: seed,
    dataset_reader: data.dataset_reader + {
      tokenizer: 'just_spaces',
      // It has its own.
      boundary_symbols: false,
      token_indexers: { tokens: { type: 'transformer_pieces', model_name: model_name } },
    },
    datasets_for_vocab_creation: ['train'],
    vocabulary: { type: 'document_frequency' },
    model: { type: 'transformer_classifier', model_name: model_name } + training.model,
    data_loader: training.data_loader,
    validation_data_loader: training.validation_data_loader,
    trainer: training.trainer,
  },
}
