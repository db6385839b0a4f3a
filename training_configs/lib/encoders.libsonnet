// Encoders, as functions of the size of a word vector. Sizes as published.
{
  bilstm(dim): { type: 'lstm', input_size: dim, hidden_size: 128, bidirectional: true },
  affine(dim): { type: 'affine', input_dim: dim, hidden_dim: 128 },
  cnn(dim): { type: 'cnn', input_dim: dim, channels: 32, kernel_sizes: [1, 3, 5, 7] },
  // Meister et al.: 2 layers, 1 head, 128. Positions and the inner size are not stated.
  transformer(dim): { type: 'transformer', input_dim: dim, hidden_dim: 128, num_layers: 2, num_heads: 1 },
}
