"""The host's part of a program: the end of its model (`covenant.model_end`), on what the machine has made."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from covenant.errors import CovenantError, Diagnostic
from covenant.model_end import order_of
from covenant.oracle import OracleError, session

__all__ = ["HostEnd", "host_end"]


class HostEnd:
    """The closing nodes of a program, in ONNX Runtime, set up as the oracle of a QDQ model (`covenant.oracle`).

    Args:
        content: what `split_end` has made.

    Raises:
        OracleError: ONNX Runtime is missing, of another version, or refuses them.

    Attributes:
        operators: their types, in their order.
        outputs: names of the whole model's outputs, in its order.
    """

    def __init__(self, content: bytes) -> None:
        from onnx import load_from_string  # noqa: PLC0415

        model = load_from_string(content)
        self.operators = tuple(node.op_type for node in model.graph.node)
        self.outputs = tuple(order_of(model))
        self._session = session(content)
        self._inputs = tuple(entry.name for entry in self._session.get_inputs())
        self._made = tuple(entry.name for entry in self._session.get_outputs())

    def run(self, arrays: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
        """The whole model's outputs from what the machine has made, and the seconds that the host took."""
        start = time.perf_counter()
        made = self._session.run(list(self._made), {name: arrays[name] for name in self._inputs})
        seconds = time.perf_counter() - start
        known = {**arrays, **dict(zip(self._made, made, strict=True))}
        return {name: known[name] for name in self.outputs}, seconds


@lru_cache(maxsize=8)
def host_end(content: bytes) -> HostEnd:
    """The same one for the same content.

    Raises:
        CovenantError: RUN0014, as `HostEnd` raises OracleError.
    """
    try:
        return HostEnd(content)
    except OracleError as error:
        raise CovenantError(
            Diagnostic(
                "RUN0014", f"ONNX Runtime has to compute the end of this model on the host: {error}",
                fix="install what is named, or end the model before its float operators",
            )
        ) from error  # fmt: skip
