"""Rewrites of operators that reduce several elements to one: pools, rows, sums of squares."""
