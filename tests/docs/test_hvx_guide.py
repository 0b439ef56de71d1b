"""The page about packets is true: its commands run, and print what it shows."""

from __future__ import annotations

import re

from hvx_guide import PAGE, listings, refreshed


def test_the_listings_are_what_the_commands_print():
    """Made anew by `./dev exec python tests/docs/hvx_guide.py`."""
    page = PAGE.read_text()
    assert listings(page) == listings(refreshed(page))


def test_what_the_page_says_of_its_listings():
    """The page's words on its listings stay true when the compiler changes, or this test names those that do not."""
    bound, tiled, virtual, packets, run, bytes_in_qemu = listings(PAGE.read_text())
    assert 'compute(null,"GEMM",' in bound
    assert 'compute(null,"REQUANT_FIXED",' in bound
    assert '"VRF"' in tiled
    assert '"GRF"' in tiled
    assert virtual.startswith("repeat ")
    assert packets.startswith("loop0:")
    (trips,) = re.findall(r"repeat (\d+):", virtual)
    counted = re.findall(r"^[0-9a-f]{8}  1 +(\d+) ", run, re.MULTILINE)
    assert counted
    assert all(int(executed) < int(trips) for executed in counted), "fewer trips are left to be counted"
    assert "vector_loads" in run
    assert len(bytes_in_qemu.split()) == 32
