/// What no schedule of a layer of a program can do better than, its tensors lying in off-chip memory as they do.
#pragma once

#include <optional>

#include "acg/isa/program.h"
#include "compiler/target/stream/bound.h"

namespace covenant::compiler::stream {

/// The busiest of: real multiply-accumulates over rows * columns of the systolic array; real elementwise operations
/// over lanes; the bytes of every tensor of the block, each moved once between off-chip memory and the on-chip memory
/// that its codelet moves it to, over the edges and buses on the way. Of a tensor that is read in part (a window that
/// steps over pixels) count the bytes that are read. Fixed: one off-chip read, one write, and with multiply-accumulates
/// one pass through the array. Instruction fetch is none of it: the block before hides it. Nothing for a machine
/// without the array or the lanes that the layer needs.
std::optional<Bound> block_bound(const acg::Program& program, size_t block);

}  // namespace covenant::compiler::stream
