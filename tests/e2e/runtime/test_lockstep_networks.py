"""Whole networks run in lock step, without omissions: every command and every byte agrees."""

from __future__ import annotations

import os
import shutil

import numpy as np
import onnx
import pytest
from test_channel_norms import Layers
from test_equivalents import CHANNELS, EXACT, grown
from test_layer_norm import transformer
from test_tables import Network, squeeze_and_excite

from covenant import zoo

pytestmark = pytest.mark.skipif(shutil.which("verilator") is None, reason="needs verilator")
FULL = pytest.mark.skipif(os.environ.get("COVENANT_FULL") is None, reason="COVENANT_FULL=1 runs minutes of RTL")
SMALL = ("-m", "genesys", "--set", "M=3", "--set", "N=4")


def expect_lock_step(command, model, *machine):
    done = command("cosim", model, *machine, "--rtl-quick", "--json")
    assert done.code == 0
    assert (done.object["differences"], done.object["identical"]) == (0, True)
    assert done.object["instructions"] > 100
    return done.object


def test_a_transformer_layer(covenant_command, tmp_path):
    network = Network(46, (1, 21, 24))
    transformer(network, 3)
    found = expect_lock_step(covenant_command, network.save(tmp_path), *SMALL)
    operations = {layer["operation"] for layer in found["layers"]}
    assert {"softmax_sum", "softmax_quotient", "normalize_rows+scale_columns", "copy"} <= operations


def test_a_gated_network(covenant_command, tmp_path):
    expect_lock_step(covenant_command, squeeze_and_excite(1).save(tmp_path), *SMALL)


@pytest.mark.parametrize("groups", [2, 6])
def test_groups_of_channels(groups, covenant_command, tmp_path):
    layers, shape = Layers(np.random.default_rng(47), (1, 3, 6, 7)), (6, 6, 7)
    y = layers.normalised(layers.conv(layers.stored("x"), 3, 6, 3, pad=1), shape, groups)
    onnx.save(layers.model(layers.conv(y, 6, 4, 3, pad=1)), tmp_path / "model.onnx")
    found = expect_lock_step(covenant_command, tmp_path / "model.onnx", *SMALL)
    assert len([one for one in found["layers"] if "channel_sums" in one["operation"]]) == 3


@pytest.mark.parametrize("name", ["masked", "largest channel", "constants between", "mirrored"])
def test_what_is_said_by_others(name, covenant_command, tmp_path):
    network = grown(CHANNELS, np.int8, EXACT[name][1])
    expect_lock_step(covenant_command, network.save(tmp_path), *SMALL)


@FULL
def test_the_angle_classifier(covenant_command):
    expect_lock_step(covenant_command, zoo.get("ppocr_angle"), "-m", "genesys:8x8")
