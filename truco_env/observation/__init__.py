"""What a seat sees, as arrays."""
