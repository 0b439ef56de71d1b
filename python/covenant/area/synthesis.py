"""Synthesis of a module of the RTL and its submodules, one by one; a submodule that several share is mapped once."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from covenant.area.cells import CellLibrary
from covenant.area.store import AreaCache
from covenant.area.workers import Workers
from covenant.area.yosys import PASSES, Mapped, blackbox, elaborate, map_module, module_texts, with_parameters

__all__ = ["Block", "Synthesiser", "add_block"]


@dataclass(frozen=True)
class Block:
    """Modules of one name in a block, whatever their parameters."""

    module: str
    instances: int
    um2: float
    """Area of the logic of all of them."""
    memory_bits: int
    delay_ps: float
    """Delay of the longest path in one of them."""


def add_block(found: dict[str, Block], more: Block) -> None:
    """Adds it to the results for modules of its name."""
    before = found.get(more.module, Block(more.module, 0, 0.0, 0, 0.0))
    found[more.module] = Block(
        more.module, before.instances + more.instances, before.um2 + more.um2,
        before.memory_bits + more.memory_bits, max(before.delay_ps, more.delay_ps),
    )  # fmt: skip


@dataclass(frozen=True)
class Synthesiser:
    """The modules of a machine's RTL, the cells, and the results so far."""

    sources: Mapping[str, str]
    """Text of the packages and modules of which machines are made, by name of the file; without a machine's own top."""
    library: CellLibrary
    cache: AreaCache
    workers: Workers = field(default_factory=Workers, compare=False)

    @cached_property
    def _digest(self) -> str:
        return hashlib.sha256(json.dumps(dict(sorted(self.sources.items()))).encode()).hexdigest()

    def blocks(
        self, top: str, parameters: Mapping[str, str], *, text: str = "", boxed: tuple[str, ...] = ()
    ) -> tuple[Block, ...]:
        """Blocks that a module consists of, itself first.

        Args:
            top: its name.
            parameters: SystemVerilog constants by name.
            text: its source, if it is none of `sources`.
            boxed: names of modules that are left out.
        """
        content = json.dumps([self.library.digest, PASSES, self._digest, top, dict(parameters), text, boxed])
        made = self.cache.get(content, lambda: self._made(top, parameters, text, boxed))
        return tuple(Block(**one) for one in made)

    def _made(self, top: str, parameters: Mapping[str, str], text: str, boxed: tuple[str, ...]) -> list[dict]:
        with tempfile.TemporaryDirectory(prefix="covenant-area-") as name:
            folder = Path(name)
            self._write(folder, top, parameters, text, boxed)
            with self.workers.turn():
                cells = elaborate(folder, top)
            texts = {one: text for one, text in module_texts(folder).items() if one in cells}
            calls = [partial(self._mapped, folder / str(n), text) for n, text in enumerate(texts.values())]
            mapped = self.workers.results(calls)
        return [asdict(block) for block in self._summed(f"\\{top}", cells, dict(zip(texts, mapped, strict=True)))]

    def _mapped(self, folder: Path, text: str) -> Mapped:
        content = json.dumps([self.library.digest, PASSES, text])

        def made() -> dict[str, Any]:
            with self.workers.turn():
                return asdict(map_module(folder, text, self.library))

        return Mapped(**self.cache.get(content, made))

    def _write(
        self, folder: Path, top: str, parameters: Mapping[str, str], text: str, boxed: tuple[str, ...]
    ) -> None:  # fmt: skip
        for file, source in self.sources.items():
            stem = file.removesuffix(".sv")
            if stem in boxed:
                (folder / f"{stem}_box.sv").write_text(blackbox(source))
            elif stem != top:
                (folder / file).write_text(source)
        (folder / f"{top}.sv").write_text(with_parameters(text or self.sources[f"{top}.sv"], parameters))

    def _summed(self, top: str, cells: Mapping[str, Mapping[str, int]], known: Mapping[str, Mapped]) -> list[Block]:
        times: Counter[str] = Counter()

        def visit(name: str, count: int) -> None:
            times[name] += count
            for cell, number in cells[name].items():
                if cell in cells:
                    visit(cell, count * number)

        visit(top if top in cells else top.removeprefix("\\"), 1)
        found: dict[str, Block] = {}
        for name, count in times.items():
            mapped = known[name]
            um2 = sum(self.library.areas[cell] * number for cell, number in mapped.cells.items())
            add_block(
                found, Block(_base_name(name), count, count * um2, count * mapped.memory_bits, mapped.delay_ps)
            )  # fmt: skip
        return list(found.values())


def _base_name(module: str) -> str:
    r"""covenant_dma of `$paramod\covenant_dma\Stores=1` and of `$paramod$<hash>\covenant_dma`."""
    return next((part for part in module.split("\\") if part.startswith("covenant_")), module)
