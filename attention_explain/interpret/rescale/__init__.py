"""DeepLift's rules: differences from a baseline, handed on through each kind of layer."""
