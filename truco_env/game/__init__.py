"""One game, played by name: dealt, read, saved, sampled."""
