"""RESULTS.md: what finished studies have found, in one page that says how to find it again."""
