/// Constants of classes, as egg's test sets fold them (Willsey et al., egg, its test sets).
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/match/egraph.h"

namespace covenant::compiler::match::testing {

/// The constant, as it is written, that a class is, if it is one. Each gets a node of its own.
class Constants : public Analysis {
 public:
  /// The constant of an operation of constants, if it is one.
  using Fold = std::function<std::optional<std::string>(const std::string& name, const std::vector<std::string>& of)>;
  enum class Other : uint8_t { kIsKept, kIsHidden };  ///< nodes of constants that have children

  Constants(Fold fold, Other other) : fold_(std::move(fold)), other_(other) {}

  const std::optional<std::string>& of(Id id) const { return constants_[id]; }

  void made(const EGraph& graph, Id node) override { constants_.push_back(folded(graph, node)); }
  std::pair<bool, bool> joined(Id into, Id from) override {
    std::optional<std::string>& kept = constants_[into];
    const std::optional<std::string>& other = constants_[from];
    if (kept && other) {
      EXPECT_EQ(*kept, *other);
    }
    const std::pair changed(!kept && other, kept && !other);
    if (!kept) kept = other;
    return changed;
  }
  bool made_again(const EGraph& graph, Id node, Id of) override {
    if (constants_[of]) return false;
    constants_[of] = folded(graph, node);
    return constants_[of].has_value();
  }
  void modify(EGraph& graph, Id of) override {
    const std::optional<std::string> constant = constants_[of];
    if (!constant) return;
    graph.unite(of, graph.add(graph.symbol(*constant), {}));
    if (other_ == Other::kIsHidden) graph.keep_leaves(of);
  }

 private:
  std::optional<std::string> folded(const EGraph& graph, Id node) const {
    std::vector<std::string> operands;
    for (const Id child : graph.children(node)) {
      const std::optional<std::string>& constant = constants_[graph.find(child)];
      if (!constant) return std::nullopt;
      operands.push_back(*constant);
    }
    return fold_(graph.name(graph.operation(node)), operands);
  }

  Fold fold_;
  Other other_;
  std::vector<std::optional<std::string>> constants_;
};

}  // namespace covenant::compiler::match::testing
