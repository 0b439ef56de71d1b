"""Measures the accuracy of a quantised model on a machine, and finds the layers that cost it."""

from covenant.evaluation.by_layer import LayerSensitivity, SensitivityResult, sensitivity
from covenant.evaluation.data import Data, data_of
from covenant.evaluation.float_model import FloatModel
from covenant.evaluation.hits import CONFIDENCE, Hits, interval_of, mcnemar_p_value, wilson_interval
from covenant.evaluation.layers import ErrorOf, LayerStatistics, layer_statistics
from covenant.evaluation.metrics import check_metric, figure, gain_of, parts_of, rating, shown, shown_gain
from covenant.evaluation.more_bits import sensitivity_to_bits
from covenant.evaluation.on_machine import AccuracyResult, Verified, WorstExample, accuracy
from covenant.evaluation.pictures import check_examples, draw_sensitivity, draw_worst
from covenant.evaluation.ranks import RANKS, Scores, scores_of

__all__ = [
    "CONFIDENCE",
    "RANKS",
    "AccuracyResult",
    "Data",
    "ErrorOf",
    "FloatModel",
    "Hits",
    "LayerSensitivity",
    "LayerStatistics",
    "Scores",
    "SensitivityResult",
    "Verified",
    "WorstExample",
    "accuracy",
    "check_examples",
    "check_metric",
    "data_of",
    "draw_sensitivity",
    "draw_worst",
    "figure",
    "gain_of",
    "interval_of",
    "layer_statistics",
    "mcnemar_p_value",
    "parts_of",
    "rating",
    "scores_of",
    "sensitivity",
    "sensitivity_to_bits",
    "shown",
    "shown_gain",
    "wilson_interval",
]
