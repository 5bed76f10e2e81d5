"""How fast the project is, measured beside its peers in one run: ``python -m benchmarks`` (see docs/benchmarks.md)."""
