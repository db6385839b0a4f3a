"""What several papers share: which models belong together, how they differ, ours beside theirs."""
