/// Terms of which shared parts cost once, found class by class: a good one, if not the least.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler/match/extract.h"

namespace covenant::compiler::match {

/// Classes up to which terms are chosen so: it takes their square in bits.
inline constexpr size_t kMostGreedy = 16'384;

/// A node for each class, by id, or none where there is no term: the one whose term costs least where each part, as it
/// has been chosen so far, costs once. Takes a bit for each pair of classes. Nothing if what is chosen for the roots
/// goes in a circle. Classes of lower costs as trees come first, by id, so that most are chosen after their children.
std::optional<std::vector<std::optional<Id>>> greedy_nodes(const EGraph& graph, std::span<const Id> roots,
                                                           const NodeCost& cost, std::span<const double> trees);

}  // namespace covenant::compiler::match
