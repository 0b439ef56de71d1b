"""The formula of SCALE-Sim reproduces reports of its own runs; products of a model are found."""

from __future__ import annotations

import pytest
from digits import model_of

from covenant.bench.scale_sim import Dataflow, Product, estimated_cycles, products_of
from covenant.errors import CovenantError

# Rows, columns, inner size on 16 x 16 cells: reported cycles, output and weight stationary.
REPORTED = {
    (64, 64, 64): (1_503, 1_759),
    (256, 256, 256): (73_215, 77_311),
    (512, 512, 512): (555_007, 571_391),
    (100, 37, 65): (1_994, 2_189),
}


@pytest.mark.parametrize("size", REPORTED, ids=str)
def test_reported_cycles(size):
    rows, columns, inner = size
    product = Product("", rows, inner, columns)
    assert tuple(estimated_cycles(product, 16, 16, flow) for flow in Dataflow) == REPORTED[size]


def test_products_of_a_model():
    found = {product.layer: product for product in products_of(model_of("qdq"))}
    assert list(found) == ["conv1", "conv2", "conv3", "conv4", "classifier"]
    assert found["conv1"].macs == 8 * 8 * 9 * found["conv1"].columns
    assert found["classifier"].columns == 10
    with pytest.raises(CovenantError) as error:  # the sums of this one are no operators of ONNX
        products_of(model_of("qoperator"))
    assert error.value.code == "CLI0019"
