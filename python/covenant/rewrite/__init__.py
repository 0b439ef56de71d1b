"""Rewrites of quantised models into operators that the compiler knows, a folder for each class of operator."""
