"""Machines from papers run the digits: every output byte equals ONNX Runtime's."""

from __future__ import annotations

import pytest
from digits import STYLES, model_of

import covenant
from covenant.verify.comparison import compare


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("spec", ["dnnweaver", "genesys:03", "genesys:09", "genesys:13"])
def test_digits(spec, style, images, expected):
    program = covenant.compile(model_of(style), covenant.Machine(spec))
    ours = [covenant.run(program, image[None]).outputs for image in images[:20]]
    assert compare(ours, expected[style][:20]).identical
