"""ONNX models as they are read and normalised: constants, shapes, ends, float sub-graphs, stored values."""
