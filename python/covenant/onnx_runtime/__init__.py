"""ONNX Runtime as this project runs it: one version, sessions with the settings of a style, fused models."""
