"""What the heads of self-attention do, from perturbation files."""
