"""Rewrites of operators that move elements: they make no new number."""
