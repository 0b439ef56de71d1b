"""Verification: lock step of SystemC model and RTL, random and broken machines, expected outputs and verdicts."""
