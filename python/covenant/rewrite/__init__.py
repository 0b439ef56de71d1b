"""Rewrites of ONNX models, one a file: each keeps what a model computes and leaves operators that are known."""
