"""Players for ``truco_env``, their trainer and their arena; ``truco_env`` finds the players by entry points."""
