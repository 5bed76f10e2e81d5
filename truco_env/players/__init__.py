"""What a player is to the environments, and the names by which players are known."""
