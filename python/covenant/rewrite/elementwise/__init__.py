"""Rewrites of operators that compute each element by itself: tables, affine functions, chains in f32, picks."""
