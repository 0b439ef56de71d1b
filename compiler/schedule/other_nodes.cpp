#include "compiler/schedule/other_nodes.h"

#include <algorithm>
#include <map>
#include <string>

#include "compiler/codelet/capability.h"
#include "compiler/codelet/local_layout.h"
#include "compiler/codelet/nodes.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Operation;

constexpr size_t kMostChoices = 8;

/// Maps each node to the one that takes over its computes.
using Move = std::map<std::string, std::string>;

bool takes_as_much(const acg::Capability& a, const acg::Capability& b) {
  const auto is_alike = [](const acg::CapabilityOperand& one, const acg::CapabilityOperand& other) {
    return one.shape == other.shape;
  };
  return is_alike(a.output, b.output) && a.inputs.size() == b.inputs.size() &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), is_alike);
}

bool can_do(const Codelet& codelet, const acg::Machine& machine, const Compute& compute, const acg::Compute& node) {
  const acg::Capability* other =
      codelet::find_capability(node, compute.capability, codelet::dtype_of(codelet, compute.destination),
                               codelet::operand_types(codelet, compute));
  return other != nullptr && takes_as_much(*other, capability_of(codelet, machine, compute));
}

}  // namespace

std::vector<Codelet> on_other_nodes(const Codelet& mapped, const acg::Machine& machine) {
  std::map<std::string, std::vector<std::string>> choices;  // the present node is last
  for (const acg::Compute& from : machine.computes) {
    std::vector<Compute> computes;
    for_each_operation(mapped.body, [&](const Operation& operation, const std::vector<const codelet::Loop*>&) {
      const auto* compute = std::get_if<Compute>(&operation.op);
      if (compute != nullptr && compute->location == from.name) computes.push_back(*compute);
    });
    if (computes.empty()) continue;
    for (const acg::Compute& to : machine.computes) {
      const bool fits = std::all_of(computes.begin(), computes.end(), [&](const Compute& compute) {
        return to.name != from.name && can_do(mapped, machine, compute, to);
      });
      if (fits) choices[from.name].push_back(to.name);
    }
    choices[from.name].push_back(from.name);
  }
  std::vector<Move> moves{{}};
  for (const auto& [from, nodes] : choices) {
    std::vector<Move> longer;
    for (const Move& move : moves) {
      for (const std::string& node : nodes) {
        longer.push_back(move);
        longer.back()[from] = node;
      }
    }
    moves = std::move(longer);
  }
  const auto moved_nodes = [](const Move& move) {
    return std::count_if(move.begin(), move.end(), [](const auto& entry) { return entry.first != entry.second; });
  };
  std::stable_sort(moves.begin(), moves.end(),
                   [&](const Move& a, const Move& b) { return moved_nodes(a) > moved_nodes(b); });
  std::vector<Codelet> result;
  for (const Move& move : moves) {
    if (moved_nodes(move) == 0 || result.size() == kMostChoices) break;
    result.push_back(mapped);
    for_each_operation(result.back().body, [&](Operation& operation) {
      auto* compute = std::get_if<Compute>(&operation.op);
      if (compute != nullptr) compute->location = move.at(compute->location);
    });
  }
  return result;
}

}  // namespace covenant::compiler
