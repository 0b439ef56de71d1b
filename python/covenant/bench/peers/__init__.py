"""Compares code of other compilers for a few important kernels with ours, on our model of the core and in QEMU."""

from covenant.bench.peers.kernel import Form, Kernel
from covenant.bench.peers.kernels import KERNELS
from covenant.bench.peers.measure import PeerRow, measure
from covenant.bench.peers.toolchains import Toolchain, toolchains
from covenant.bench.peers.tvm import MISSING as TVM_MISSING
from covenant.bench.peers.tvm import Tvm, tvm_of

__all__ = ["KERNELS", "TVM_MISSING", "Form", "Kernel", "PeerRow", "Toolchain", "Tvm", "measure", "toolchains", "tvm_of"]
