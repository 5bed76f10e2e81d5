"""Many matches stepped together."""
