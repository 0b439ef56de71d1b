"""Runs small quantised models and compares each with ONNX Runtime with its optimisations off.

A case is noticed if an output is not what the unfused model makes, or is not explained layer by layer (tests/soak), or
if a model is refused that was taken without a mutant. Those that must be refused, or equal, stand in MAY_BE_REFUSED.
"""

from __future__ import annotations

import sys
import tempfile

import exporter_cases  # noqa: F401  (enters its cases)
from comparing import Outcome, compared, guarded, made_of_model
from stored_cases import CASES

import covenant

MAY_BE_REFUSED = frozenset(
    {
        "bias_of_another_scale",
        "bias_with_a_zero_point",
        "function_without_a_zero_point",
        "input_quantized_twice",
        "last_product_in_float",
        "one_tensor_under_two_scales",
        "padded_by_a_value",
        "product_with_scales_along_the_sum",
    }
)


def outcome_of(name: str, machine: covenant.Machine, folder: str) -> Outcome:
    """Runs a case and compares it."""
    case = CASES[name]()
    return guarded(lambda: compared(made_of_model(case.model(), case.inputs), machine, "interpret", folder))


def main() -> int:
    """0 if all hold; the first that does not is told as test programs tell theirs."""
    machine = covenant.Machine("genesys", M=8, N=8)
    with tempfile.TemporaryDirectory() as folder:
        for name in CASES:
            outcome = outcome_of(name, machine, folder)
            allowed = ("equal", "explained") + ("refused",) * (name in MAY_BE_REFUSED)
            if outcome.verdict not in allowed:
                print(f"[  FAILED  ] Unfused.{name} (0 ms)\n{outcome.kind}: {outcome.text}", flush=True)
                if "--all" not in sys.argv:
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
