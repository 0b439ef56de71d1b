"""Benchmarks: named layers and networks, peers, and what optimisations gain."""
