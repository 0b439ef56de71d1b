"""Operators rewritten into others: every byte equals ONNX Runtime's; means and sums are at most a step away."""

from __future__ import annotations

import numpy as np
import pytest
from expectation import expected_here
from test_tables import Network

import covenant
from covenant.errors import CovenantError
from covenant.verify.expected import Source, expected_outputs

MACHINES = ("genesys:8x8", "genesys:8x24", "dnnweaver")
CHANNELS = (1, 6, 5, 7)
TOKENS = (2, 9, 24)
RANDOM = np.random.default_rng(71)


def add(operator, *operands, **attributes):
    """One node on what `now` stands for, and its result quantised anew."""

    def grow(network):
        network.now = network.stored(network.builder.add(operator, network.real(), *operands, **attributes))

    return grow


def grown(shape, dtype, grow):
    """A convolution (of images), then `grow`."""
    network = Network(52, shape, dtype)
    if len(shape) == 4:
        network.now = network.conv(network.now, 6, shape[1], kernel=3)
    grow(network)
    return network


def both(network, folder, machine):
    """Outputs of a machine, and those expected here: of ONNX Runtime where it is exact on this processor.

    The reference operators say what the machine says.
    """
    path = network.save(folder)
    image = np.random.default_rng(5).normal(size=network.builder.inputs["image"].shape).astype(np.float32)
    ours = covenant.run(covenant.compile(path, machine), image).outputs
    reference = expected_outputs(path, [{"image": image}], Source.REFERENCE).outputs[0]
    assert {name: array.tobytes() for name, array in ours.items()} == {
        name: array.tobytes() for name, array in reference.items()
    }
    return ours, expected_here(path, [{"image": image}]).outputs[0]


def pair(operator, shape=None):
    """Two convolutions of one tensor, combined by `operator`; a shape cuts the second to one that is broadcast."""

    def grow(network):
        one, other = network.conv(network.now, 6, 6), network.conv(network.now, 6, 6)
        real = network.real(other)
        if shape is not None:
            ends = np.array(shape, np.int64)
            real = network.real(network.stored(network.builder.add("Slice", real, np.zeros(4, np.int64), ends)))
        network.now = network.stored(network.builder.add(operator, network.real(one), real))

    return grow


def choice(condition, first="now", second="now"):
    """A Where whose operands are `now`, a second convolution, or constants, quantised and not."""

    def grow(network):
        operands = {
            "now": network.real(),
            "other": network.real(network.conv(network.now, 6, 6)),
            "lowest": np.float32(-1e9),
            "image": RANDOM.normal(size=CHANNELS).astype(np.float32),
            "stored": network.builder.add("DequantizeLinear", network.dtype(7), np.float32(0.03), network.dtype(3)),
        }
        y = network.builder.add("Where", condition, operands[first], operands[second])
        network.now = network.stored(y)

    return grow


def parts(*names, axis=1):
    """Concat of `now`, and of constants, quantised and not."""

    def grow(network):
        shape = (1, 6, 5, 7)
        flat = tuple(2 if d == axis else size for d, size in enumerate(shape))
        stored = RANDOM.integers(0, 100, flat).astype(network.dtype)
        operands = {
            "now": network.real(),
            "real": RANDOM.normal(size=flat).astype(np.float32),
            "stored": network.builder.add("DequantizeLinear", stored, np.float32(0.02), network.dtype(9)),
        }
        network.now = network.stored(network.builder.add("Concat", *(operands[name] for name in names), axis=axis))

    return grow


def raised(network):
    """Expand of [2,9,24] to [3,2,9,24]."""
    add("Expand", np.array([3, 1, 9, 24], np.int64))(network)


MASK = RANDOM.random(CHANNELS) < 0.5
ROW = RANDOM.random((1, 1, 1, 7)) < 0.5


def by_channel(channels, rank=4):
    """A lone BatchNormalization, then a PRelu with a slope for each channel."""

    def grow(network):
        some = network.generator.uniform(0.5, 1.5, (4, channels)).astype(np.float32)
        y = network.builder.add(
            "BatchNormalization", network.real(), *(some - [[0.8], [1.2], [1.1], [0]]).astype(np.float32)
        )
        network.now = network.stored(y)
        slopes = network.generator.uniform(-0.5, 0.5, (channels, *[1] * (rank - 2))).astype(np.float32)
        network.now = network.stored(network.builder.add("PRelu", network.real(), slopes))

    return grow


EXACT = {
    "a function for each channel": (CHANNELS, by_channel(6)),
    "a function for each feature": ((9, 5), by_channel(5, rank=2)),
    "tile": (CHANNELS, add("Tile", np.array([1, 2, 3, 1], np.int64))),
    "tile of rows": (TOKENS, add("Tile", np.array([2, 1, 2], np.int64))),
    "to a higher rank": (TOKENS, raised),
    "mirrored": (CHANNELS, add("Pad", np.array([0, 1, 2, 3, 0, 0, 1, 2], np.int64), mode="reflect")),
    "edges repeated": (CHANNELS, add("Pad", np.array([0, 0, 2, 1, 0, 0, 1, 9], np.int64), mode="edge")),
    "picked": (CHANNELS, add("GatherND", np.array([[[0, 5], [0, 2]], [[-1, 0], [0, -6]]], np.int64))),
    "single elements": (TOKENS, add("GatherND", np.array([[0, 3, 1], [1, 8, 23], [0, 0, 0]], np.int64))),
    "steps back": (
        CHANNELS,
        add("Slice", *(np.array(one, np.int64) for one in ([-1, 4], [-100, 0], [3, 1], [-1, -2]))),
    ),
    "global max pool": (CHANNELS, add("GlobalMaxPool")),
    "largest pixel": (CHANNELS, add("ReduceMax", axes=[2, 3], keepdims=0)),
    "largest channel": (CHANNELS, add("ReduceMax", axes=[1])),
    "largest token": (TOKENS, add("ReduceMax", axes=[-2], keepdims=0)),
    "largest of all": (TOKENS, add("ReduceMax", keepdims=1)),
    "maximum": (CHANNELS, pair("Max")),
    "minimum": (CHANNELS, pair("Min")),
    "maximum with a row": (CHANNELS, pair("Max", (1, 1, 1, 7))),
    "where": (CHANNELS, choice(MASK, "now", "other")),
    "where of a row": (CHANNELS, choice(ROW, "other", "now")),
    "masked": (CHANNELS, choice(ROW, "now", "lowest")),
    "masked the other way": (CHANNELS, choice(MASK, "stored", "now")),
    "where with an image": (CHANNELS, choice(MASK, "image", "now")),
    "constant last": (CHANNELS, parts("now", "stored")),
    "constant first": (CHANNELS, parts("real", "now", axis=2)),
    "constants between": (CHANNELS, parts("real", "now", "stored", "now", "real", "real")),
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("name", EXACT)
def test_every_byte_is_equal(name, dtype, machine, tmp_path):
    ours, theirs = both(grown(*EXACT[name][:1], dtype, EXACT[name][1]), tmp_path, machine)
    assert {name: array.tobytes() for name, array in ours.items()} == {
        name: array.tobytes() for name, array in theirs.items()
    }


NEAR = {
    "mean pixel": (CHANNELS, {"axes": [2, 3], "keepdims": 0}),
    "mean pixel that stays": (CHANNELS, {"axes": [-1, -2]}),
    "mean channel": (CHANNELS, {"axes": [1]}),
    "mean row": (CHANNELS, {"axes": [2], "keepdims": 0}),
    "mean token": (TOKENS, {"axes": [1], "keepdims": 0}),
    "mean of each token": (TOKENS, {"axes": [-1]}),
    "mean of all": (TOKENS, {}),
    "mean of the last dimension of four": (CHANNELS, {"axes": [3]}),
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("operator", ["ReduceMean", "ReduceSum"])
@pytest.mark.parametrize("name", NEAR)
def test_means_and_sums_are_within_a_step(name, operator, machine, tmp_path):
    shape, attributes = NEAR[name]
    given = dict(attributes)
    axes = [np.array(given.pop("axes"), np.int64)] if operator == "ReduceSum" and "axes" in given else []
    step = np.float32(0.01 if operator == "ReduceMean" else 0.1)

    def grow(network):
        y = network.builder.add(operator, network.real(), *axes, **given)
        network.now = network.stored(y, (step, network.dtype(3)))

    ours, theirs = both(grown(shape, np.int8, grow), tmp_path, machine)
    for output, array in theirs.items():
        assert np.abs(ours[output] - array).max() <= 1.001 * step
        assert np.unique(array).size > 1 or array.size == 1
        assert (ours[output] == array).mean() > 0.9


def resized(scales, **attributes):
    """A Resize between pixels; the result under a scale of its own, or, where `same` says so, the same."""
    same = attributes.pop("same", False)

    def grow(network):
        given = ["", np.array([1, 1, *scales], np.float32)]
        y = network.builder.add("Resize", network.real(), *given, mode="linear", **attributes)
        network.now = network.stored(y, network.now[1:] if same else None)

    return grow


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("scales", [(2, 2), (4, 4), (1, 3), (8, 8)])
def test_a_resize_between_pixels_is_within_a_step(scales, dtype, machine, tmp_path):
    network = grown(CHANNELS, dtype, resized(scales, coordinate_transformation_mode="pytorch_half_pixel"))
    ours, theirs = both(network, tmp_path, machine)
    for output, array in theirs.items():
        assert np.abs(ours[output] - array).max() <= 1.001 * network.now[1]
        assert (ours[output] == array).mean() > 0.95


def test_the_command_holds_a_resize_to_a_step(tmp_path, covenant_command):
    network = grown(CHANNELS, np.int8, resized((2, 2), same=True))
    done = covenant_command("run", network.save(tmp_path), "-m", "genesys:8x8", "--compare", "onnxruntime", "--json")
    assert done.code == 0
    assert done.object["oracle"]["inexact"] == ["Resize"]
    assert done.object["within_a_step"]


def test_what_reads_a_resize_answers_for_itself(tmp_path, covenant_command):
    """A step of the Resize is none of the convolution's, which is given what ONNX Runtime has."""
    network = grown((1, 6, 12, 10), np.int8, resized((2, 2), same=True))
    network.now = network.conv(network.now, 6, 6, kernel=3)
    path = network.save(tmp_path)
    done = covenant_command("run", path, "-m", "genesys:8x8", "--compare", "onnxruntime", "--json")
    assert done.code == 0
    assert done.object["within_a_step"]
    assert not done.object["identical"]  # else this would show nothing


def test_a_resize_by_no_whole_factor_is_refused(tmp_path):
    assert refused(grown(CHANNELS, np.int8, resized((1.5, 1))), tmp_path) == "ONX0010"


def test_the_command_holds_a_mean_to_a_step(tmp_path, covenant_command):
    network = grown(CHANNELS, np.int8, add("ReduceMean", axes=[2, 3]))
    done = covenant_command("run", network.save(tmp_path), "-m", "genesys:8x8", "--compare", "onnxruntime", "--json")
    assert done.code == 0
    assert done.object["oracle"]["inexact"] == ["ReduceMean"]
    assert done.object["within_a_step"]


def test_a_movement_after_a_float_operator_moves_what_is_quantized(tmp_path):
    """LayerNormalization, then a Tile and a Transpose, then a QuantizeLinear."""

    def grow(network):
        y = network.builder.add("LayerNormalization", network.real(), np.ones(24, np.float32))
        y = network.builder.add("Tile", y, np.array([1, 2, 1], np.int64))
        network.now = network.stored(
            network.builder.add("Transpose", y, perm=[0, 2, 1]), (np.float32(0.02), np.int8(1))
        )

    ours, theirs = both(grown(TOKENS, np.int8, grow), tmp_path, "genesys:8x8")
    for name, array in theirs.items():
        assert np.abs(ours[name] - array).max() <= 0.0201


def test_integer_forms(tmp_path):
    """QLinearWhere and QLinearConcat as ONNX Runtime writes them."""
    for dtype in (np.int8, np.uint8):
        network = Network(53, CHANNELS, dtype)
        other = network.quantization()
        stored, scale, zero = network.now
        constant = np.full((1, 2, 5, 7), 11, dtype)
        y = network.builder.add("QLinearWhere", MASK, stored, scale, zero, dtype(5), *other, *other)
        network.now = (
            network.builder.add("QLinearConcat", scale, zero, y, *other, constant, *other, axis=1),
            scale,
            zero,
        )
        ours, theirs = both(network, tmp_path, "genesys:8x8")
        for name, array in theirs.items():
            np.testing.assert_array_equal(ours[name], array)


class NamedAxes(Network):
    """A network of the opset in which a Pad names its axes."""

    def model(self):
        """The model whose output is `now`."""
        made = super().model()
        made.opset_import[0].version = 18
        return made

    def mirror(self, axes):
        """Two elements before, three after."""
        pads = np.array([2, 3], np.int64)
        self.now = self.stored(self.builder.add("Pad", self.real(), pads, np.float32(0), axes, mode="reflect"))
        return self


def test_mirrored_along_a_named_axis(tmp_path):
    ours, theirs = both(NamedAxes(55, CHANNELS).mirror(np.array([-1], np.int64)), tmp_path, "genesys:8x8")
    for name, array in theirs.items():
        np.testing.assert_array_equal(ours[name], array)


def refused(network, folder):
    """The code with which a network is refused."""
    with pytest.raises(CovenantError) as error:
        covenant.compile(network.save(folder), "genesys")
    return error.value.code


def chosen(network, condition, first, second):
    """The network with a Where at its end."""
    network.now = network.stored(network.builder.add("Where", condition, first, second))
    return network


def above(network, limit=0.1):
    """Condition that `now` is larger than `limit`."""
    return network.builder.add("Greater", network.real(), np.float32(limit))


CHOOSERS = {
    "one tensor alone": lambda network, other: (above(network), network.real(), np.float32(0.3)),
    "two tensors": lambda network, other: (above(network), network.real(other), network.real()),
    "a constant": lambda network, other: (
        network.builder.add("Not", above(network)),
        RANDOM.normal(size=(1, 6, 1, 7)).astype(np.float32),
        network.real(other),
    ),
    "held back": lambda network, other: (above(network), network.real(other), np.float32(-np.inf)),
}


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("name", CHOOSERS)
def test_what_is_computed_chooses(name, dtype, tmp_path):
    network = Network(54, CHANNELS, dtype)
    network.now = network.conv(network.now, 6, 6, kernel=3)
    chosen(network, *CHOOSERS[name](network, network.conv(network.now, 6, 6)))
    ours, theirs = both(network, tmp_path, "genesys:8x8")
    for output, array in theirs.items():
        np.testing.assert_array_equal(ours[output], array)


@pytest.mark.parametrize("dtype", [np.bool_, np.int64])
def test_an_input_chooses_for_two(dtype, tmp_path):
    network = Network(56, CHANNELS)
    mask = network.builder.inputs["mask"] = MASK[:, :1].astype(dtype)
    condition = "mask" if dtype is np.bool_ else network.builder.add("Equal", "mask", np.int64(1))
    for _ in range(2):
        network.now = network.conv(network.now, 6, 6)
        other = network.conv(network.now, 6, 6)
        chosen(network, condition, network.real(), network.real(other))
    path = network.save(tmp_path)
    feeds = {"image": RANDOM.normal(size=CHANNELS).astype(np.float32), "mask": mask}
    ours = covenant.run(covenant.compile(path, "genesys:8x8"), feeds).outputs
    for output, array in expected_outputs(path, [feeds], Source.ONNXRUNTIME).outputs[0].items():
        np.testing.assert_array_equal(ours[output], array)


def test_two_tensors_together_cannot_choose(tmp_path):
    network = Network(54, CHANNELS)
    other = network.conv(network.now, 6, 6)
    condition = network.builder.add("Greater", network.real(), network.real(other))
    assert refused(chosen(network, condition, network.real(), np.float32(0)), tmp_path).startswith("ONX")


def test_what_is_computed_cannot_say_where_to_mirror(tmp_path):
    network = NamedAxes(55, CHANNELS)
    largest = network.builder.add("ArgMax", network.builder.add("Flatten", network.real()), axis=1, keepdims=0)
    assert refused(network.mirror(largest), tmp_path).startswith("ONX")
