// Encoders, as functions of the size of a word vector, and of a state. Sizes as published; of pairs, some
// are smaller.
{
  bilstm(dim, hidden=128): { type: 'lstm', input_size: dim, hidden_size: hidden, bidirectional: true },
  affine(dim, hidden=128): { type: 'affine', input_dim: dim, hidden_dim: hidden },
  cnn(dim, hidden=128): { type: 'cnn', input_dim: dim, channels: hidden / 4, kernel_sizes: [1, 3, 5, 7] },
  // Meister et al.: 2 layers, 1 head, 128. Positions and the inner size are not stated.
  transformer(dim, hidden=128): { type: 'transformer', input_dim: dim, hidden_dim: hidden, num_layers: 2, num_heads: 1 },

  // A pretrained transformer, from a folder in Hugging Face's layout or a name of its hub, whose states
  // (`dim` is its hidden_size) are read by attention as they are, or by an encoder `above` it. Words stay
  // what gets attention and scores. `trained`: it is trained further, else it stays as it is.
  // `mix_layers`: of each word a learned mix of all layers, and not the last one's state.
  pretrained(model_name, dim, above=self.pass_through, trained=false, mix_layers=false): {
    local reads = {
      token_indexers: { tokens: { type: 'transformer_pieces', model_name: model_name } },
      // It has its own.
      boundary_symbols: false,
    },
    above: above,
    // What becomes of data as in data.libsonnet.
    below(data): data {
      dataset_reader+: reads,
      [if 'validation_dataset_reader' in data then 'validation_dataset_reader']+: reads,
      vocabulary: { type: 'document_frequency' },
      embedding: {
        type: 'transformer_words',
        model_name: model_name,
        train_parameters: trained,
        last_layer_only: !mix_layers,
      },
      dim: dim,
    },
  },
  pass_through(dim): { type: 'pass_through', input_dim: dim },
}
