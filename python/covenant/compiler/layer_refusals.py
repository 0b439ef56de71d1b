"""Rewords refusals of passes for the user of a model: the layer that is refused, and a fix.

Passes report codelets, tiles and words, with the place in the codelet. The user of a model knows its layers, and can
change the machine, an option, or the model.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from covenant.errors import CovenantError, Diagnostic
from covenant.model.ends import host_nodes
from covenant.model.kernels import MOVEMENTS

__all__ = ["of_layer"]

_OURS = "compiler/library/"
_PASSES = ("CDL", "GEN", "NET")
_OTHER_MACHINE = "compile for a machine that takes it (`covenant operators -m MACHINE` says which)"
_END_BEFORE = "let the quantised layers of the model end before it"
_HELP = {
    "CDL0040": f"{_OTHER_MACHINE}, or {_END_BEFORE}",
    "CDL0041": "give the layer channels in multiples of the machine's vectors, or compile for another machine",
    "CDL0051": "compile for a machine with deeper memories, or make the layer smaller: channels, window",
    "CDL0052": _OTHER_MACHINE,
    "CDL0053": "compile for a machine with deeper memories, or make the layer smaller: dimensions, window",
    "CDL0054": _OTHER_MACHINE,
    "CDL0060": _OTHER_MACHINE,
    "CDL0061": "compile for a machine with deeper memories",
    "GEN0004": "make the layer smaller: fewer dimensions, or fewer elements in one",
    "GEN0005": "give the layer channels in multiples of the machine's vectors",
    "GEN0007": "give the layer fewer padded dimensions, or channels in multiples of the machine's vectors",
    "GEN0008": "pad the tensor by its zero point",
    "GEN0009": "split the layer in the model",
    "GEN0010": f"{_OTHER_MACHINE}, or {_END_BEFORE}",
    "GEN0011": "split the layer in the model",
    "GEN0012": "compile for a machine with a larger instruction memory, or make the layer smaller",
    "GEN0013": "compile for a machine with more off-chip memory, or a smaller model",
    "GEN0014": "let the model compute something between QuantizeLinear and DequantizeLinear: movements alone cost "
    "nothing, and float operators at the ends are the host's",
    "GEN0015": "take the input or output out of the model",
    "GEN0020": f"write the layer with other operators, or {_END_BEFORE}",
    "GEN0021": "move the elements in several steps, with a layer that computes in between",
    "GEN0022": "give the tensor a dimension: a Reshape to [1]",
    "GEN0050": "pin a smaller tile (--schedule)",
    "GEN0051": f"{_OTHER_MACHINE}, or {_END_BEFORE}",
    "GEN0052": "pad the tensor in the model, give its rows a multiple of the machine's vectors, or compile for another "
    "machine",
    "GEN0053": "pin another tile (--schedule), or compile for another machine",
    "NET0020": "put a layer that computes between the movement and this one, or leave the movement out",
    "NET0030": "compile for a machine with such elements, or quantise the layer to narrower ones",
    "NET0031": f"quantise the layer to 8 bits and compile for a machine of 8 bits, or {_END_BEFORE}",
}


def of_layer(path: Path, told: CovenantError) -> CovenantError:
    """The refusal with the model's layer as its subject, and with a fix for the user of the model first.

    Args:
        path: of the model.
        told: refusal of a pass after the front end; others are returned unchanged.
    """
    diagnostic = told.diagnostic
    help_of_model = _HELP.get(diagnostic.code)
    if help_of_model is None or not diagnostic.code.startswith(_PASSES):
        return told
    state = path.stat()
    model = _outline(path, state.st_mtime_ns, state.st_size)
    if model is None:
        return told
    if diagnostic.code == "GEN0014":
        return CovenantError(_nothing_to_do(diagnostic, path, model))
    is_ours = not diagnostic.file or diagnostic.file.startswith(_OURS) or Path(diagnostic.file) == path
    if not is_ours:  # a codelet or machine of the user's own
        return told
    codelet = diagnostic.file.removeprefix(_OURS).removesuffix(".cdlt") if diagnostic.line else ""
    place = f" (codelet {codelet}, line {diagnostic.line})" if codelet else ""
    fix = help_of_model
    if diagnostic.fix and codelet:
        fix = f"{help_of_model}; of a machine of your own: {diagnostic.fix}"
    elif diagnostic.fix:
        fix = diagnostic.fix if diagnostic.code.startswith("NET003") else f"{help_of_model}; or {diagnostic.fix}"
    return CovenantError(
        replace(
            diagnostic, file=str(path), line=0, column=0, subject=_layer_of(diagnostic, model),
            offending=f"{diagnostic.offending}{place}", fix=fix,
        )
    )  # fmt: skip


def _nothing_to_do(told: Diagnostic, path: Path, model: Any) -> Diagnostic:
    """Names the operators of a model of which all is the host's or moves elements."""
    own = [node.op_type for node in host_nodes(model) if node.op_type not in (*MOVEMENTS, "Constant")]
    moved = [node.op_type for node in model.graph.node if node.op_type in MOVEMENTS]
    why = "all of it is the host's" if own or not moved else "all of it moves elements"
    operators = ", ".join(dict.fromkeys(own or moved)) or "QuantizeLinear, DequantizeLinear"
    return replace(told, message=f"{told.message}: {why}", file=str(path), offending=operators, fix=_HELP["GEN0014"])


@lru_cache(maxsize=2)
def _outline(path: Path, _modified_ns: int, _size_bytes: int) -> Any | None:
    """The `onnx.ModelProto` in a file in one state, without its constants; None if it is none.

    Searches for machines ask about the same model again and again.
    """
    try:
        import onnx  # noqa: PLC0415  (import costs; models that are taken do not pay)

        model = onnx.load(str(path), load_external_data=False)
    except Exception:  # noqa: BLE001  (parsers raise what they like: the pass has said what is wrong)
        return None
    del model.graph.initializer[:]
    return model


def _layer_of(diagnostic: Diagnostic, model: Any) -> str:
    """The node that a part of a layer, or a tensor, belongs to: `attention (Softmax)` of `attention/sum`."""
    subject = diagnostic.subject
    names = {node.name: node for node in model.graph.node if node.name}
    makers = {output: node for node in model.graph.node for output in node.output if output}
    known = [name for name in (*names, *makers) if subject == name or subject.startswith((f"{name}/", f"{name}+"))]
    if not known:
        return subject
    longest = max(known, key=len)
    node = names.get(longest) or _reader_of(longest, model) or makers[longest]
    return f"{node.name or node.output[0]} ({node.op_type})"


def _reader_of(value: str, model: Any) -> Any | None:
    """The layer that reads a stored tensor: passes name their additions to a layer after the tensor."""
    for node in model.graph.node:
        if value in node.input:
            if node.op_type != "DequantizeLinear":
                return node
            return _reader_of(node.output[0], model)
    return None
