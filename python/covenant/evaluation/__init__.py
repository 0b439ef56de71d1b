"""How accurate a quantised model is on a machine, and which of its layers are to blame."""

from covenant.evaluation.by_layer import LayerSensitivity, SensitivityResult, sensitivity
from covenant.evaluation.data import Data, data_of
from covenant.evaluation.float_model import FloatModel
from covenant.evaluation.layers import ErrorOf, LayerStatistics, layer_statistics
from covenant.evaluation.metrics import METRICS, Scores, scores_of
from covenant.evaluation.more_bits import sensitivity_to_bits
from covenant.evaluation.on_machine import COMPARED, AccuracyResult, Verified, WorstExample, accuracy
from covenant.evaluation.pictures import draw_sensitivity, draw_worst

__all__ = [
    "COMPARED",
    "METRICS",
    "AccuracyResult",
    "Data",
    "ErrorOf",
    "FloatModel",
    "LayerSensitivity",
    "LayerStatistics",
    "Scores",
    "SensitivityResult",
    "Verified",
    "WorstExample",
    "accuracy",
    "data_of",
    "draw_sensitivity",
    "draw_worst",
    "layer_statistics",
    "scores_of",
    "sensitivity",
    "sensitivity_to_bits",
]
