"""What several papers share: which models belong together, how they differ, ours compared with theirs."""
