"""Resize to the nearest element by any ratio: every byte is ONNX Runtime's."""

from __future__ import annotations

import itertools

import numpy as np
import onnx
import pytest
from both_ways import held
from test_tables import Network

import covenant
from covenant.errors import CovenantError

SHAPE = (1, 4, 7, 5)
PLACES = ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", "half_pixel_symmetric")
ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def resized(opset, *inputs, shape=SHAPE, **attributes):
    """A network of a Conv and a Resize of what is stored."""
    network = Network(61, shape)
    if len(shape) == 4:
        network.now = network.conv(network.now, 4, shape[1])
    scale, zero = network.now[1:]
    network.now = network.stored(network.builder.add("Resize", network.real(), *inputs, **attributes), (scale, zero))
    model = network.model()
    model.opset_import[0].version = opset
    return model, scale


def saved(model, folder):
    path = folder / "model.onnx"
    onnx.save(model, str(path))
    return path


def scales(*numbers):
    return np.array(numbers, np.float32)


def ints(*numbers):
    return np.array(numbers, np.int64)


@pytest.mark.parametrize(("places", "rounding"), list(itertools.product(PLACES, ROUNDINGS)))
def test_every_way_to_choose(places, rounding, tmp_path):
    opset = 19 if places == "half_pixel_symmetric" else 17
    attributes = {"coordinate_transformation_mode": places, "nearest_mode": rounding}
    model, step = resized(opset, "", "", ints(1, 4, 12, 3), **attributes)
    held(saved(model, tmp_path), step)


FACTORS = [(1.5, 2.5), (0.5, 0.7), (3, 2), (1.04, 2.2), (1.15, 1), (0.3, 4), (2, 2), (1.04, 2), (2.1, 3), (2.1, 2.1)]


@pytest.mark.parametrize("rounding", ["round_prefer_floor", "floor"])
@pytest.mark.parametrize("factors", FACTORS, ids=str)
def test_any_factor(factors, rounding, tmp_path):
    """Scales count, not the ratio of sizes: 7 times 1.04 is 7, and its last pixel comes from elsewhere."""
    attributes = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": rounding}
    model, step = resized(13, "", scales(1, 1, *factors), **attributes)
    held(saved(model, tmp_path), step)


def test_the_first_form(tmp_path):
    """Opset 10 takes scales as the second input."""
    model, step = resized(10, scales(1, 1, 1.5, 2), mode="nearest")
    held(saved(model, tmp_path), step)


def test_regions_that_count_for_nothing(tmp_path):
    model, step = resized(11, scales(0, 0, 0, 0, 1, 1, 1, 1), scales(1, 1, 1.5, 2), mode="nearest")
    held(saved(model, tmp_path), step)


@pytest.mark.parametrize(
    ("given", "policy"),
    [(("", scales(2, 1.5)), "stretch"), (("", "", ints(10, 11)), "stretch"),
     (("", "", ints(10, 11)), "not_larger"), (("", "", ints(10, 11)), "not_smaller")],
)  # fmt: skip
def test_axes_that_are_named(given, policy, tmp_path):
    more = {} if policy == "stretch" else {"keep_aspect_ratio_policy": policy}
    model, step = resized(18, *given, axes=[2, 3], mode="nearest", **more)
    held(saved(model, tmp_path), step)


@pytest.mark.parametrize("shape", [(3, 5), (2, 3, 5), (1, 2, 3, 2, 4)], ids=str)
def test_other_ranks(shape, tmp_path):
    model, step = resized(17, "", scales(*[1] * (len(shape) - 1), 1.6), shape=shape, mode="nearest")
    held(saved(model, tmp_path), step)


LINEAR = [
    {"coordinate_transformation_mode": "align_corners"},
    {"coordinate_transformation_mode": "asymmetric"},
    {"antialias": 1},
]


@pytest.mark.parametrize("attributes", LINEAR, ids=str)
def test_what_weighs_neighbours_otherwise_is_refused(attributes, tmp_path):
    model, _ = resized(18, "", scales(1, 1, 2, 2), mode="linear", **attributes)
    with pytest.raises(CovenantError) as error:
        covenant.compile(saved(model, tmp_path), "genesys:8x8")
    assert error.value.code == "ONX0010"


def test_linear_growth_by_no_whole_scale_is_refused(tmp_path):
    """7 times 2.1 is 14 pixels, which lie elsewhere than those of twice as many."""
    model, _ = resized(17, "", scales(1, 1, 2.1, 2), mode="linear")
    with pytest.raises(CovenantError) as error:
        covenant.compile(saved(model, tmp_path), "genesys:8x8")
    assert error.value.code == "ONX0010"


def test_a_region_that_is_cut_out_is_refused(tmp_path):
    region = scales(0, 0, 0.2, 0.2, 1, 1, 0.8, 0.8)
    attributes = {"coordinate_transformation_mode": "tf_crop_and_resize"}
    model, _ = resized(17, region, "", ints(1, 4, 7, 5), **attributes)
    with pytest.raises(CovenantError) as error:
        covenant.compile(saved(model, tmp_path), "genesys:8x8")
    assert error.value.code == "ONX0010"
