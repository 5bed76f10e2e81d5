"""The truqueros: rule-based players of different character over one way of judging a hand."""
