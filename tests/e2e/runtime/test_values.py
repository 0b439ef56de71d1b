"""Values planned once for a model equal those of ONNX Runtime, of the reference operators, and of machines."""

from __future__ import annotations

import numpy as np
import pytest
from digits import STYLES, model_of
from packet_networks import mobilenet, resnet18

import covenant
from covenant import _core
from covenant.errors import CovenantError
from covenant.runtime.values import Values, images_of, stacked
from covenant.verify.expected import expected_outputs, reference, source_here

MACHINES = ("genesys:8x8", "genesys", "dnnweaver", "hvx")


def network(kind, seed, folder):
    """A residual network, or one of convolutions channel by channel; and random images."""
    dtype = ("u8", "i8")[seed % 2]
    layers = kind(np.random.default_rng(seed), dtype, 32, width=16 if kind is resnet18 else 8, classes=10)
    return layers.save(folder / "model.onnx"), {"x": np.stack([layers.image() for _ in range(3)])}


@pytest.mark.parametrize("style", STYLES)
def test_all_digits_are_those_of_onnx_runtime(style, images):
    values = Values(model_of(style))
    made = values.run({"image": images[:, None]})["logits"]
    feeds = [{"image": image[None]} for image in images]
    expected = expected_outputs(model_of(style), feeds, source_here(model_of(style))).outputs
    assert made.tobytes() == stacked(expected)["logits"].tobytes()
    assert values.exact_nodes == ()


@pytest.mark.parametrize("simd", _core.simd_names())
@pytest.mark.parametrize("style", STYLES)
def test_every_tensor_is_that_of_the_reference_operators(style, simd, images):
    for requant in ("fp32", "fixed", "fixed_tflite"):
        fast = Values(model_of(style), requant=requant, simd=simd).tensors({"image": images[:40, None]})
        exact = Values(model_of(style), requant=requant, exact=True).tensors({"image": images[:40, None]})
        assert fast.keys() == exact.keys()
        assert all(fast[name].tobytes() == exact[name].tobytes() for name in fast)


@pytest.mark.parametrize("kind", [resnet18, mobilenet])
@pytest.mark.parametrize("seed", range(2))
def test_networks_on_machines(kind, seed, tmp_path):
    print(f"seed {seed}")
    model, stacks = network(kind, seed, tmp_path)
    for machine in (covenant.Machine(spec) for spec in MACHINES):
        session = covenant.Session(covenant.compile(model, machine))
        values = Values(model, requant=machine.requant)
        made = values.run(stacks)
        assert values.exact_nodes == ()
        for index, feed in enumerate(images_of(stacks)):
            for name, array in session.run(feed).outputs.items():
                assert array.tobytes() == made[name][index].tobytes(), (machine.name, name)
            (own,) = reference(model, feed, requant=machine.requant).values()
            assert own.tobytes() == next(iter(made.values()))[index].tobytes()


def test_layers_are_given_what_is_said(images):
    values = Values(model_of("qdq"))
    inputs = {"image": images[:5, None]}
    plain = values.tensors(inputs)
    same = values.tensors(inputs, given={one.name: plain[one.name] for one in values.made})
    assert all(plain[name].tobytes() == same[name].tobytes() for name in plain)
    first, second = (one.name for one in values.made[1:3])
    other = values.tensors(inputs, given={first: np.zeros_like(plain[first])})
    assert other[first].tobytes() == plain[first].tobytes(), "what a layer makes is its own"
    assert other[second].tobytes() != plain[second].tobytes(), "what it is given is not"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda images: {}, "RUN0001"),
        (lambda images: {"image": images[:, None], "other": images}, "RUN0002"),
        (lambda images: {"image": images}, "RUN0003"),
        (lambda images: {"image": images[:, None].astype(np.float64)}, "RUN0004"),
    ],
)
def test_other_arrays_are_refused(change, code, images):
    with pytest.raises(CovenantError) as caught:
        Values(model_of("qdq")).run(change(images))
    assert caught.value.code == code
