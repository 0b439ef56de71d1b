"""Benchmarks: named layers and networks, command vectors, peers, and what optimisations gain."""
