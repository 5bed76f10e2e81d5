"""The program ``truco``: one command line for training, evaluation, case files, rules and observations."""
