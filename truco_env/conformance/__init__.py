"""Runs the files that say what is right: cases and traces."""
