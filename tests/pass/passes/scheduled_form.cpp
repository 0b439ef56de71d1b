// The promises of docs/reference/codelets.md, checked without the passes' own helpers.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "acg/graph/queries.h"
#include "compiler/codelet/local_layout.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"
#include "tests/pass/passes/layers.h"

namespace covenant::compiler::testing {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Transfer;

bool holds_transfer(const Loop& loop) {
  bool found = false;
  for_each_operation(loop.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
    found = found || std::holds_alternative<Transfer>(operation.op);
  });
  return found;
}

void expect_only(const Reference& reference, const std::set<std::string>& variables) {
  for (const codelet::Expression& index : reference.indices) {
    for (const codelet::Term& term : index.terms()) {
      for (const std::string& name : term.names) EXPECT_TRUE(variables.contains(name)) << print(reference);
    }
  }
}

void expect_operation(const Operation& operation, const std::vector<const Loop*>& around,
                      const std::set<std::string>& locals, const acg::Machine& machine) {
  std::set<std::string> tile_variables;
  std::set<std::string> nest_variables;
  for (const Loop* loop : around) (holds_transfer(*loop) ? tile_variables : nest_variables).insert(loop->variable);
  EXPECT_LE(tile_variables.size(), 7U);
  if (const auto* loop = std::get_if<Loop>(&operation.op)) {
    const int64_t stride = loop->stride.constant().value();
    const int64_t lower = loop->lower.constant().value();
    const int64_t range = loop->upper.constant().value() - lower;
    const int64_t trips = (range + stride - 1) / stride;
    // Only the tile loops of a second part begin later.
    EXPECT_TRUE(lower == 0 || (lower > 0 && holds_transfer(*loop))) << loop->variable;
    EXPECT_GT(trips, 1) << loop->variable;
    // At most an eighth of a loop overhangs.
    EXPECT_LE((trips * stride - range) * 8, range);
    if (!holds_transfer(*loop)) {
      EXPECT_EQ(loop->body.size(), 1U) << "a nest is perfect: " << loop->variable;
    }
  } else if (const auto* transfer = std::get_if<Transfer>(&operation.op)) {
    EXPECT_TRUE(nest_variables.empty());
    if (const auto* source = std::get_if<Reference>(&transfer->source)) expect_only(*source, tile_variables);
    if (transfer->destination) expect_only(*transfer->destination, tile_variables);
    if (!transfer->local.empty()) {
      EXPECT_TRUE(transfer->slot && *transfer->slot < 4) << transfer->local;
      EXPECT_TRUE(transfer->offset) << transfer->local;
    }
  } else {
    const auto& compute = std::get<Compute>(operation.op);
    const acg::Compute& node = acg::get(machine, acg::find_compute(machine, compute.location).value());
    EXPECT_LE(nest_variables.size(), node.unit == acg::UnitKind::kSimdArray ? 8U : 7U);
    std::vector<Reference> references{compute.destination};
    for (const auto& operand : compute.operands) {
      if (const auto* reference = std::get_if<Reference>(&operand)) references.push_back(*reference);
    }
    for (const Reference& reference : references) {
      EXPECT_TRUE(locals.contains(reference.surrogate)) << reference.surrogate;
      expect_only(reference, nest_variables);
    }
  }
}

/// The operations of the outermost block, from the first to the last, that mention the local at all.
std::pair<size_t, size_t> reach_of(const Codelet& scheduled, const std::string& local) {
  std::pair<size_t, size_t> reach{scheduled.body.size(), 0};
  for (size_t i = 0; i < scheduled.body.size(); ++i) {
    Codelet alone;
    alone.body = {scheduled.body[i]};
    std::set<std::string> words;
    const std::string text = print(alone);
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find_first_of(" []=(),;\n", at);
      words.insert(text.substr(at, end - at));
      at = end == std::string::npos ? text.size() : end + 1;
    }
    if (!words.contains(local)) continue;
    reach = {std::min(reach.first, i), i};
  }
  return reach;
}

/// Locals of two parts may lie in one place: then in one channel too.
void expect_apart(const Codelet& scheduled, const std::string& earlier, const std::string& later) {
  EXPECT_LT(reach_of(scheduled, earlier).second, reach_of(scheduled, later).first) << earlier << " and " << later;
}

/// Locals between two engines: a transfer fills or empties them, or computes of two nodes touch them.
std::set<std::string> between_engines(const Codelet& scheduled) {
  std::set<std::string> result;
  std::map<std::string, std::string> nodes;
  for_each_operation(scheduled.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
    const auto touch = [&](const std::string& local, const std::string& node) {
      const auto [first, is_new] = nodes.emplace(local, node);
      if (!is_new && first->second != node) result.insert(local);
    };
    if (const auto* transfer = std::get_if<Transfer>(&operation.op)) {
      const auto* source = std::get_if<Reference>(&transfer->source);
      if (source != nullptr) result.insert({source->surrogate, transfer->local});
    } else if (const auto* compute = std::get_if<codelet::Compute>(&operation.op)) {
      touch(compute->destination.surrogate, compute->location);
      for (const auto& operand : compute->operands) {
        if (const auto* one = std::get_if<Reference>(&operand)) touch(one->surrogate, compute->location);
      }
    }
  });
  return result;
}

}  // namespace

void expect_scheduled_form(const Codelet& scheduled, const acg::Machine& machine) {
  SCOPED_TRACE(print(scheduled));
  struct Place {
    std::string local;
    uint64_t first, last;
    uint32_t slot;
    bool has_tokens;
  };
  const std::set<std::string> with_tokens = between_engines(scheduled);
  std::map<std::string, std::vector<Place>> places;
  std::set<std::string> locals;
  const std::map<std::string, LocalLayout> layouts = local_layouts(scheduled, machine);
  for_each_operation(scheduled.body, [&](const Operation& operation, const std::vector<const Loop*>& around) {
    expect_operation(operation, around, locals, machine);
    const auto* transfer = std::get_if<Transfer>(&operation.op);
    if (transfer == nullptr || transfer->local.empty()) return;
    EXPECT_TRUE(locals.insert(transfer->local).second);
    const LocalLayout& layout = layouts.at(transfer->local);
    const acg::Memory& memory = acg::get(machine, layout.memory);
    const Place place{transfer->local, transfer->offset.value(), transfer->offset.value() + layout.units,
                      transfer->slot.value(), with_tokens.contains(transfer->local)};
    EXPECT_LE(place.last, memory.buffer_units()) << transfer->local;
    EXPECT_EQ(place.first * memory.unit_bytes() % layout.vector_bytes, 0U) << transfer->local;
    for (const Place& other : places[memory.name]) {
      const bool is_disjoint = place.last <= other.first || other.last <= place.first;
      if (place.slot == other.slot && (!is_disjoint || place.has_tokens || other.has_tokens)) {
        expect_apart(scheduled, other.local, transfer->local);
        continue;
      }
      EXPECT_TRUE(is_disjoint) << transfer->local;
    }
    places[memory.name].push_back(place);
  });
  EXPECT_FALSE(locals.empty());
}

}  // namespace covenant::compiler::testing
