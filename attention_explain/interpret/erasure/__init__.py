"""What occlusion and leave-one-out share: every token of a text erased in turn, fast."""
