"""Other compilers' code for the kernels that decide, on our model of the core and in QEMU, beside our compiler's."""

from covenant.peers.kernels import KERNELS, Form, Kernel
from covenant.peers.measure import PeerRow, measure
from covenant.peers.toolchains import Toolchain, toolchains

__all__ = ["KERNELS", "Form", "Kernel", "PeerRow", "Toolchain", "measure", "toolchains"]
