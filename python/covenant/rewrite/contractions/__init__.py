"""Rewrites of products and convolutions, and of operators that become one."""
