/// Analysis of a scheduled codelet before code generation: its locals, and which engines fill and empty them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/codelet.h"
#include "compiler/families/stream/addresses.h"

namespace covenant::compiler::stream {

/// A surrogate made by a transfer, in a channel of a scratchpad.
struct Local {
  std::string name;
  acg::MemoryId memory;
  DType dtype = DType::kI8;
  Layout layout;
  uint32_t slot = 0;
  int64_t first_byte = 0;            ///< offset within one buffer
  size_t depth = 0;                  ///< number of loops open where it is declared
  std::optional<uint32_t> producer;  ///< engine that writes it
  std::optional<uint32_t> consumer;  ///< another engine that reads it; nothing: no tokens are needed
  int64_t filled = 0;                ///< elements of the last dimension that its source has
};

/// A surrogate in off-chip memory.
struct Tensor {
  acg::MemoryId memory;
  DType dtype = DType::kI8;
  Layout layout;
  uint64_t first_bit = 0;  ///< address of element [0, 0, ...] in its memory
  int64_t fill = 0;
};

struct BlockPlan {
  std::vector<acg::Engine> engines;
  std::map<std::string, Local> locals;
  std::map<std::string, Tensor> tensors;
};

/// Precondition: the codelet is verified and scheduled: bound, placed, mapped, packed, tiled and buffered. `addresses`:
/// off-chip byte address of every surrogate `inp` and `out`. Errors: GEN0001 (a transfer along no DMA edge, an
/// operation on no engine), GEN0002 (a local with two producers or two consumers, or filled and emptied within one
/// inner loop), GEN0003 (two locals in one channel).
Result<BlockPlan> plan_block(const codelet::Codelet& codelet, const acg::Machine& machine,
                             const std::map<std::string, uint64_t>& addresses);

/// The engine that executes a transfer or a compute; nothing for an allocation. Precondition: planned.
std::optional<uint32_t> engine_of(const BlockPlan& plan, const acg::Machine& machine,
                                  const codelet::Operation& operation);

/// The capability that a compute uses, found by its name and the types of its operands.
const acg::Capability* capability_of(const BlockPlan& plan, const acg::Machine& machine,
                                     const codelet::Compute& compute);

/// True if `engine` reads or writes `local` in `operation` or inside of it.
bool uses(const BlockPlan& plan, const acg::Machine& machine, const codelet::Operation& operation, uint32_t engine,
          const std::string& local);

/// The loop in numbers. Precondition: bounds are constants.
LoopRange range_of(const codelet::Loop& loop);
/// The value of an expression. Precondition: it is a constant.
int64_t number(const codelet::Expression& expression);
/// The values of a shape.
std::vector<int64_t> numbers(const std::vector<codelet::Expression>& expressions);

}  // namespace covenant::compiler::stream
