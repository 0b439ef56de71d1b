"""Detects speech on a simulated accelerator: Silero VAD on synthesised speech in noise.

    ./dev exec python examples/06_voice_activity/demo.py
    ./dev exec python examples/06_voice_activity/demo.py -m dnnweaver --clips 2

The trained network runs three ways on the same sound: in float, in int8 by ONNX Runtime, and on the machine, whose
every output byte is compared with ONNX Runtime's. Its convolutions are the machine's; the spectrum before them and the
recurrent layer after them are the host's. Prints how often the three agree; draws sound and probabilities. Exit code 1
if one byte differs. It needs the package index, from which the network comes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
import speech
from rich.console import Console
from rich.progress import Progress

import covenant
from covenant import oracle, zoo
from covenant.errors import CovenantError

FOLDER = Path(__file__).resolve().parents[2] / "build" / "voice"
MODEL = "silero_vad"
WAYS = ("float", "onnxruntime int8", "machine")
FRAME, CONTEXT = 512, 64
"""Samples that each run hears anew, and those that it hears once more."""
_CALIBRATION_SEED, _TEST_SEED = 300, 400
_CALIBRATION_CLIPS, _CALIBRATION_FRAMES = 4, 250

Arrays = dict[str, np.ndarray]
Run = Callable[[Arrays], Arrays]


@dataclass(frozen=True)
class Figures:
    """Figures for one way of running the network; shares from 0 to 1."""

    accuracy: float
    """Share of frames that it classifies right, where the truth is where speech was added."""
    agreement: float
    """Share of frames that it classifies as the float network does."""
    mean_difference: float
    """Mean distance of the probability from that of the float network."""


@dataclass
class Machine:
    """The network on a machine, each run beside ONNX Runtime's int8."""

    session: covenant.Session
    in_int8: oracle.Oracle
    runs: int = field(default=0, init=False)
    equal: int = field(default=0, init=False)
    """Runs in which every byte equals ONNX Runtime's."""
    cycles: int = field(default=0, init=False)
    """Cycles of one run; they do not depend on values."""
    seconds: float = field(default=0.0, init=False)
    """Wall-clock time of simulation, all runs together."""

    def __call__(self, feed: Arrays) -> Arrays:
        """All outputs."""
        result, expected = self.session.run(feed), self.in_int8.run(feed)
        self.runs += 1
        self.equal += all(result.outputs[name].tobytes() == array.tobytes() for name, array in expected.items())
        self.cycles = result.cycles
        self.seconds += result.seconds
        return result.outputs


def feeds(sound: np.ndarray, run: Run) -> list[tuple[Arrays, float]]:
    """Inputs of the network frame by frame, its own state among them, and the probabilities that it returns."""
    state, before, made = np.zeros((2, 1, 128), np.float32), np.zeros(CONTEXT, np.float32), []
    for frame in sound[: len(sound) // FRAME * FRAME].reshape(-1, FRAME):
        feed = {"input": np.concatenate([before, frame])[None], "state": state}
        probability, state = run(feed).values()
        made.append((feed, float(probability.reshape(-1)[0])))
        before = frame[-CONTEXT:]
    return made


def probabilities(sound: np.ndarray, run: Run) -> np.ndarray:
    """One for each frame."""
    return np.array([probability for _, probability in feeds(sound, run)])


def quantized(folder: Path, in_float: oracle.Oracle) -> Path:
    """The int8 network, its ranges taken from clips that no test hears."""
    seen = [
        feed for clip in islice(speech.clips(_CALIBRATION_SEED), _CALIBRATION_CLIPS)
        for feed, _ in feeds(clip.sound, in_float.run)
    ]  # fmt: skip
    picked = np.random.default_rng(_CALIBRATION_SEED).permutation(len(seen))[:_CALIBRATION_FRAMES]
    samples = {name: np.concatenate([seen[place][name] for place in picked]) for name in seen[0]}
    entry, path = zoo.ENTRIES[MODEL], folder / f"{MODEL}.onnx"
    covenant.quantize(zoo.get_float(MODEL), path, samples, shapes=entry.shapes, keep_float=entry.keep_float)
    return path


def draw(path: Path, clip: speech.Clip, heard: dict[str, np.ndarray]) -> None:
    """Sound, where speech was added, and what each way hears."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (import costs)

    figure = Figure(figsize=(14, 5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    seconds = np.arange(len(clip.sound)) / speech.RATE
    above.plot(seconds, clip.sound, linewidth=0.3, color="#4a8fc4")
    above.fill_between(seconds, -1, 1, where=clip.is_speech, color="#35853a", alpha=0.15, label="speech")
    above.set_ylabel("sound")
    above.legend(loc="upper right")
    for way, width in zip(WAYS, (4, 2, 0.8), strict=True):
        frames = (np.arange(len(heard[way])) + 1) * FRAME / speech.RATE
        below.plot(frames, heard[way], linewidth=width, label=way)
    below.set_ylabel("probability of speech")
    below.set_xlabel("seconds")
    below.legend(loc="upper right")
    figure.savefig(path, dpi=120)


def study(
    arguments: argparse.Namespace, clips: Sequence[speech.Clip], bar: Progress
) -> tuple[dict[str, Figures], Machine, list[dict[str, np.ndarray]]]:
    """Builds the network, and hears every clip in every way."""
    arguments.output.mkdir(parents=True, exist_ok=True)
    in_float = oracle.oracle_of(zoo.get_float(MODEL))
    task = bar.add_task("quantising", total=None)
    path = quantized(arguments.output, in_float)
    machine = Machine(
        covenant.Session(covenant.compile(path, covenant.Machine(arguments.machine))), oracle.oracle_of(path)
    )
    bar.remove_task(task)
    runs: dict[str, Run] = dict(zip(WAYS, (in_float.run, machine.in_int8.run, machine), strict=True))
    task, heard = bar.add_task("hearing", total=len(clips) * len(WAYS)), []
    for clip in clips:
        heard.append({})
        for way, run in runs.items():
            heard[-1][way] = probabilities(clip.sound, run)
            bar.advance(task)
    said = np.concatenate([_spoken(clip) for clip in clips])
    by_way = {way: np.concatenate([one[way] for one in heard]) for way in WAYS}
    reference = by_way[WAYS[0]]
    found = {
        way: Figures(
            accuracy=float(((array > 0.5) == said).mean()),
            agreement=float(((array > 0.5) == (reference > 0.5)).mean()),
            mean_difference=float(np.abs(array - reference).mean()),
        )
        for way, array in by_way.items()
    }
    return found, machine, heard


def _spoken(clip: speech.Clip) -> np.ndarray:
    """Whether most of each frame is speech."""
    whole = len(clip.is_speech) // FRAME * FRAME
    return clip.is_speech[:whole].reshape(-1, FRAME).mean(axis=1) > 0.5


def show(found: dict[str, Figures], machine: Machine, arguments: argparse.Namespace) -> None:
    """Prints the table."""
    print(f"{arguments.clips} clips, {machine.runs:,} frames, on {arguments.machine}\n")
    rows = (("frames as speech was added", "accuracy"), ("frames as in float", "agreement"))
    print(f"  {'':<30}" + "".join(f"{way:>18}" for way in WAYS))
    for text, key in rows:
        print(f"  {text:<30}" + "".join(f"{getattr(found[way], key):>18.2%}" for way in WAYS))
    print(f"  {'mean change of probability':<30}" + "".join(f"{found[way].mean_difference:>18.4f}" for way in WAYS))
    print(
        f"\n  {MODEL}: {machine.cycles:,} cycles a frame, every byte equal in {machine.equal:,} of {machine.runs:,} "
        f"runs, {1000 * machine.seconds / machine.runs:.1f} ms a run"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the study; 1 if a byte differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-m", "--machine", default="genesys:09", help="default: %(default)s")
    parser.add_argument("--clips", type=int, default=4, help="of a quarter of a minute; default: %(default)s")
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, help="folder; default: build/voice")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    arguments = parser.parse_args(argv)
    console = Console(stderr=True)
    clips = list(islice(speech.clips(_TEST_SEED), arguments.clips))
    try:
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            found, machine, heard = study(arguments, clips, bar)
    except CovenantError as error:
        print(error, file=sys.stderr)
        return 2
    pictures = [arguments.output / f"clip{number}.png" for number in range(1, len(clips) + 1)]
    for picture, clip, one in zip(pictures, clips, heard, strict=True):
        draw(picture, clip, one)
    if arguments.json:
        counts = {"cycles": machine.cycles, "runs": machine.runs, "equal": machine.equal}
        print(json.dumps({"figures": {way: asdict(one) for way, one in found.items()}, "network": counts}, indent=1))
    else:
        show(found, machine, arguments)
        print(f"\npictures: {arguments.output}/clip*.png")
    return 0 if machine.runs == machine.equal else 1


if __name__ == "__main__":
    sys.exit(main())
