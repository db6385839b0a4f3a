"""What the papers claim, each as a rule that the numbers of a study can keep or break."""
