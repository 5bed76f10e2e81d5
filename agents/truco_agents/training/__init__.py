"""Training: MaskablePPO on batches of matches, against a pool of opponents, as runs that can be stopped and resumed."""
