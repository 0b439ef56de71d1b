/// Checks what a lowering computes: the bytes of the reference operators, or others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/lowerings/lowering.h"
#include "compiler/network/network.h"
#include "compiler/reference/evaluate.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// The first byte in which two results differ.
struct Difference {
  std::string output;
  size_t byte = 0;
  uint8_t expected = 0;
  uint8_t found = 0;
  bool operator==(const Difference&) const = default;
};

/// Makes the graph's outputs with `lowering` as layer `index` of `network`, its tensors in the storages that it wants,
/// and compares them with the reference operators; nothing if they are equal. Precondition: `make_layers` gave the
/// network for the graph, `verify_lowering`, and that of `interpret_layers`. Errors: those of `interpret_layers` and of
/// `reference::evaluate`.
Result<std::optional<Difference>> check_meaning(const Lowering& lowering, const Network& network, size_t index,
                                                const srdfg::Graph& graph, const acg::Machine& machine,
                                                const reference::Tensors& inputs,
                                                const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
