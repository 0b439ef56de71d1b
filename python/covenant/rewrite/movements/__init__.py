"""Rewrites of operators that move elements without computing on them."""
