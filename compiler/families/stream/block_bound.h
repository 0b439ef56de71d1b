/// Lower bound on the cycles of a layer of a program under any schedule, with its tensors where they are in off-chip
/// memory.
#pragma once

#include <optional>

#include "acg/program/program.h"
#include "compiler/families/stream/bound.h"

namespace covenant::compiler::stream {

/// The maximum over resources of: multiply-accumulates (without padding) over rows * columns of the systolic array;
/// elementwise operations over lanes; the bytes of every tensor of the block, each moved once between off-chip memory
/// and the on-chip memory that its codelet moves it to, over the edges and buses on the way. Of a tensor that is read
/// in part (a window that skips pixels), only the bytes that are read count. Fixed part: one off-chip read, one write,
/// and with multiply-accumulates one pass through the array. Instruction fetch is not included, since the previous
/// block hides it. Nothing for a machine without the array or the lanes that the layer needs.
std::optional<Bound> block_bound(const acg::Program& program, size_t block);

}  // namespace covenant::compiler::stream
