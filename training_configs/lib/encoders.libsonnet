// Encoders, as functions of the size of a word vector, and of a state. Sizes as published; of pairs, some
// are smaller.
{
  bilstm(dim, hidden=128): { type: 'lstm', input_size: dim, hidden_size: hidden, bidirectional: true },
  affine(dim, hidden=128): { type: 'affine', input_dim: dim, hidden_dim: hidden },
  cnn(dim, hidden=128): { type: 'cnn', input_dim: dim, channels: hidden / 4, kernel_sizes: [1, 3, 5, 7] },
  // Meister et al.: 2 layers, 1 head, 128. Positions and the inner size are not stated.
  transformer(dim, hidden=128): { type: 'transformer', input_dim: dim, hidden_dim: hidden, num_layers: 2, num_heads: 1 },
}
