"""Tokens of VTA: drawn graphs end or deadlock as a simulation of tokens alone says, and right tokens keep the order."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from vta import DRAM, started, writes

from covenant import CommandDevice, CommandStream, CovenantError
from covenant import replay as replayed
from covenant.commands import HostCommand

SEED = int(os.environ.get("COVENANT_SEED", "1"))
GRAPHS = 5000 if os.environ.get("COVENANT_FULL") else 300
PROGRAMS = 300 if os.environ.get("COVENANT_FULL") else 30

LOAD, STORE, GEMM, FINISH, ALU = range(5)
UOP, WGT, INP, ACC, OUT = range(5)
MODULES = ("loader", "compute", "storer")
WORDS = ("loads", "computes", "stores")
TOKENS = {("loader", "compute"): "load_to_compute", ("compute", "loader"): "compute_to_load",
          ("compute", "storer"): "compute_to_store", ("storer", "compute"): "store_to_compute"}  # fmt: skip
BEFORE_AND_AFTER = {"loader": (None, "compute"), "compute": ("loader", "storer"), "storer": ("compute", None)}


@dataclass
class Word:
    """A word: its module, its bits without those of tokens, and which tokens it takes and gives."""

    module: str
    bits: int
    pops: set[str] = field(default_factory=set)
    """Modules whose tokens it waits for."""
    pushes: set[str] = field(default_factory=set)
    reads: frozenset[tuple[str, int]] = frozenset()
    """Elements of memories."""
    writes: frozenset[tuple[str, int]] = frozenset()

    def encoded(self) -> int:
        """All 128 bits."""
        before, after = BEFORE_AND_AFTER[self.module]
        flags = [before in self.pops, after in self.pops, before in self.pushes, after in self.pushes]
        return self.bits | sum(flag << 3 + at for at, flag in enumerate(flags))


def memory_word(op: int, kind: int, sram: int, base: int, count: int) -> int:
    """A load or a store of one row."""
    return op | kind << 7 | sram << 10 | base << 26 | 1 << 64 | count << 80 | count << 96


FINISHED = Word("compute", FINISH)
IDLE = {"loader": LOAD | INP << 7, "compute": GEMM, "storer": STORE | OUT << 7}
"""Words of each module that do nothing."""


Action = tuple[str, str, object]
"""Kind (pop, push, finish), queue, and what is pushed or where what is popped goes."""


def fetching(words: Sequence[Word]) -> Iterator[Action]:
    """Actions of the module that hands out words."""
    yield "pop", "starts", None
    for word in words:
        yield "push", WORDS[MODULES.index(word.module)], word
    yield "pop", "starts", None


def executing(name: str) -> Iterator[Action]:
    """Actions of a module that executes words."""
    while True:
        taken: list[Word] = []
        yield "pop", WORDS[MODULES.index(name)], taken
        for other in BEFORE_AND_AFTER[name]:
            if other in taken[0].pops:
                yield "pop", TOKENS[other, name], None
        if taken[0].bits == FINISH:
            yield "finish", "", None
        for other in BEFORE_AND_AFTER[name]:
            if other in taken[0].pushes:
                yield "push", TOKENS[name, other], None


def is_done(action: Action, queues: dict[str, list[object]], depth: int) -> bool:
    """Does an action if its queue lets it."""
    what, queue, item = action
    if what == "pop" and queues[queue]:
        taken = queues[queue].pop(0)
        if isinstance(item, list):
            item.append(taken)
        return True
    if what == "push" and len(queues[queue]) < depth:
        queues[queue].append(item)
        return True
    return False


def waits_of_tokens(words: Sequence[Word], depth: int) -> dict[str, str] | None:
    """Waits of each process at the end, as queues; None if the word that finishes is reached."""
    queues: dict[str, list[object]] = {name: [] for name in ("starts", *WORDS, *TOKENS.values())}
    queues["starts"].append(None)
    running = {"fetch": fetching(words)} | {name: executing(name) for name in MODULES}
    waiting = {name: next(process) for name, process in running.items()}
    while True:
        if any(what == "finish" for what, _, _ in waiting.values()):
            return None
        moved = [name for name, action in waiting.items() if is_done(action, queues, depth)]
        if not moved:
            return {name: queue for name, (_, queue, _) in waiting.items()}
        for name in moved:
            waiting[name] = next(running[name])


def drawn_graph(draw: np.random.Generator) -> list[Word]:
    """Words of all modules with drawn tokens; the last one finishes."""
    chance = draw.choice([0.1, 0.3, 0.6])
    words = []
    for module in draw.choice(MODULES, draw.integers(1, 30)):
        sides = [side for side in BEFORE_AND_AFTER[module] if side is not None]
        words.append(
            Word(
                str(module), IDLE[module],
                pops={side for side in sides if draw.random() < chance},
                pushes={side for side in sides if draw.random() < chance + 0.2},
            )
        )  # fmt: skip
    return [*words, replace(FINISHED, pops={side for side in ("loader", "storer") if draw.random() < chance})]


def test_drawn_graphs_deadlock_where_tokens_do() -> None:
    draw = np.random.default_rng(SEED)
    ends = {"finished": 0, "deadlock": 0, "full": 0}
    for number in range(GRAPHS):
        words, depth = drawn_graph(draw), int(draw.choice([1, 2, 512]))
        expected = waits_of_tokens(words, depth)
        device = CommandDevice("vta", queue_depth=depth, dram_bytes="2M")
        where = f"graph {number} of seed {SEED}"
        stream = CommandStream(tuple(started([word.encoded() for word in words])))
        if expected is None:
            replayed(stream, device, most_cycles=10_000)
            ends["finished"] += 1
            continue
        with pytest.raises(CovenantError) as raised:
            replayed(stream, device, most_cycles=10_000)
        said = raised.value.diagnostic
        assert said.code == "BEH0036", where
        told = re.findall(r"(\w+) at line \d+ for (an item|room) in (\w+)", said.offending)
        assert {name: queue for name, _, queue in told} == expected, where
        ends["deadlock"] += 1
        ends["full"] += any(what == "room" for _, what, _ in told)
    assert min(ends.values()) > GRAPHS // 50, ends


class DrawnProgram:
    """A program that shares memories between modules, in an order that counts."""

    UOPS, SIZE, STORED = 4, 8, 0x8000
    """Micro-operations; elements of each other memory; bytes of off-chip memory before what is stored."""

    def __init__(self, draw: np.random.Generator, length: int) -> None:
        self.draw = draw
        self.memory = draw.integers(0, 256, self.STORED, np.uint8).tobytes()
        self.uops = draw.integers(0, self.SIZE // 2, (self.UOPS, 3))
        self.stored = 0
        kinds = ("load_inp", "load_wgt", "load_acc", "gemm", "alu", "store")
        self.words = [getattr(self, f"_{kind}")() for kind in draw.choice(kinds, length)]

    def loaded(self) -> list[int]:
        """Words that fill all memories."""
        return [
            memory_word(LOAD, UOP, 0, 0, self.UOPS),
            memory_word(LOAD, ACC, 0, 4, self.SIZE),
            memory_word(LOAD, WGT, 0, 8, self.SIZE) | 1 << 6,
            memory_word(LOAD, INP, 0, 8, self.SIZE) | 1 << 6,
            GEMM | 1 << 3,
            FINISH | 1 << 3,
        ]

    def filling(self) -> list[HostCommand]:
        """Writes of off-chip memory: micro-operations at 0, then random bytes."""
        uops = b"".join(int(d | s << 11 | w << 22).to_bytes(4, "little") for d, s, w in self.uops)
        return writes(0, uops + self.memory[len(uops) :])

    def _span(self) -> tuple[int, int]:
        count = int(self.draw.integers(1, self.SIZE // 2 + 1))
        return int(self.draw.integers(0, self.SIZE - count + 1)), count

    def _load(self, name: str, kind: int, module: str, bytes_each: int) -> Word:
        at, count = self._span()
        base = int(self.draw.integers(4, self.STORED // bytes_each - count))
        places = frozenset((name, at + i) for i in range(count))
        return Word(module, memory_word(LOAD, kind, at, base, count), writes=places)

    def _load_inp(self) -> Word:
        return self._load("inp", INP, "loader", 16)

    def _load_wgt(self) -> Word:
        return self._load("wgt", WGT, "loader", 256)

    def _load_acc(self) -> Word:
        return self._load("acc", ACC, "compute", 64)

    def _loops(self) -> tuple[int, int, int]:
        return int(self.draw.integers(0, self.UOPS)), int(self.draw.integers(1, 5)), int(self.draw.integers(0, 2))

    def _gemm(self) -> Word:
        uop, turns, step = self._loops()
        dst, src, wgt = (int(value) for value in self.uops[uop])
        bits = GEMM | uop << 8 | uop + 1 << 21 | 1 << 35 | turns << 49 | 1 << 75 | 1 << 97 | step << 118
        sums = frozenset(("acc", dst + i) for i in range(turns))
        inputs = {("inp", src + i) for i in range(turns)} | {("wgt", wgt + step * i) for i in range(turns)}
        return Word("compute", bits, reads=sums | inputs, writes=sums)

    def _alu(self) -> Word:
        uop, turns, _ = self._loops()
        dst = int(self.uops[uop][0])
        bits = ALU | uop << 8 | uop + 1 << 21 | 1 << 35 | turns << 49 | 1 << 75 | int(self.draw.integers(0, 4)) << 108
        bits |= 1 << 111 | int(self.draw.integers(0, 6)) << 112
        sums = frozenset(("acc", dst + i) for i in range(turns))
        return Word("compute", bits, reads=sums, writes=sums)

    def _store(self) -> Word:
        at, count = self._span()
        base = self.STORED // 16 + self.stored
        self.stored += count
        return Word("storer", memory_word(STORE, OUT, at, base, count),
                    reads=frozenset(("acc", at + i) for i in range(count)))  # fmt: skip


def with_tokens(words: Sequence[Word]) -> list[Word]:
    """The words with tokens for each pair of neighbouring modules that use an element one after the other.

    A token goes from the last word of a module to a later word of a neighbour, where no token has gone from there
    before, so that those taken are in the order of those given.
    """
    result = [replace(word, pops=set(), pushes=set()) for word in words]
    covered = dict.fromkeys(TOKENS, -1)
    for number, word in enumerate(result):
        for other in MODULES:
            if (other, word.module) not in TOKENS:
                continue
            earlier = [at for at in range(number) if result[at].module == other]
            new = [at for at in earlier if at > covered[other, word.module]]
            if word.bits != FINISH and not any(
                result[at].writes & (word.reads | word.writes) or result[at].reads & word.writes for at in new
            ):
                continue
            if new:
                result[new[-1]].pushes.add(word.module)
                word.pops.add(other)
                covered[other, word.module] = new[-1]
    return result


def alone(word: Word) -> list[int]:
    """A program of one word, which ends when the word has."""
    if word.module == "compute":
        return [word.encoded(), FINISHED.encoded()]
    return [replace(word, pushes={"compute"}).encoded(), replace(FINISHED, pops={word.module}).encoded()]


def stored_by(program: DrawnProgram, parts: Sequence[Sequence[int]]) -> tuple[bytes, int]:
    """Bytes that parts of a program store, one part after the other has finished; and their cycles."""
    device = CommandDevice("vta", dram_bytes="2M")
    zeros = writes(program.STORED, bytes(16 * program.stored))
    replayed(CommandStream((*program.filling(), *zeros, *started(program.loaded()))), device)
    cycles = sum(replayed(CommandStream(tuple(started(part))), device).waited[0] for part in parts)
    at = DRAM + program.STORED
    return b"".join(device.read(at + 16 * i) for i in range(program.stored)), cycles


def test_right_tokens_keep_the_order() -> None:
    draw = np.random.default_rng(SEED)
    wrong, faster = 0, 0
    for number in range(PROGRAMS):
        program = DrawnProgram(draw, 30)
        expected, slow = stored_by(program, [alone(word) for word in program.words])
        words = [*program.words, FINISHED]
        beside, cycles = stored_by(program, [[word.encoded() for word in with_tokens(words)]])
        assert beside == expected, f"program {number} of seed {SEED}"
        faster += cycles < slow
        # Without tokens but those at the end, modules run ahead of each other.
        last = {word.module: at for at, word in enumerate(program.words)}
        loose = [replace(word, pushes={"compute"} if last[word.module] == at and word.module != "compute" else set())
                 for at, word in enumerate(program.words)]  # fmt: skip
        end = replace(FINISHED, pops={module for module in last if module != "compute"})
        wrong += stored_by(program, [[word.encoded() for word in [*loose, end]]])[0] != expected
    assert faster == PROGRAMS
    assert wrong > PROGRAMS // 2
