#include "compiler/embedding/scalar/propagate.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <vector>

#include "compiler/embedding/scalar/access.h"
#include "compiler/embedding/scalar/edges.h"
#include "compiler/embedding/scalar/rectangle.h"

namespace covenant::compiler::embedding::scalar {
namespace {

/// Propagation that is still to be done. Cheap constraints that fail often come first: which order is taken changes the
/// time of a node, not what remains after it.
class Agenda {
 public:
  Agenda(const Problem& problem, Store& store, size_t known)
      : problem_(problem), store_(store), edges_(known), others_(known), has_changed_(problem.inputs.size() + 1, 0) {}

  bool run() {
    while (true) {
      if (edges_ < store_.assigned().size()) {
        if (!propagate_dataflow(problem_, store_, store_.assigned()[edges_++])) return false;
      } else if (others_ < store_.assigned().size()) {
        if (!propagate_assigned()) return false;
      } else if (const auto changed = std::ranges::find(has_changed_, 1); changed != has_changed_.end()) {
        *changed = 0;
        if (!propagate_rectangle(static_cast<size_t>(changed - has_changed_.begin()))) return false;
      } else {
        return true;
      }
    }
  }

 private:
  /// All that have been assigned: group by group, since removing many values from a domain at once is cheaper.
  bool propagate_assigned() {
    const std::vector<size_t> assigned(store_.assigned().begin() + static_cast<ptrdiff_t>(others_),
                                       store_.assigned().end());
    others_ += assigned.size();
    for (const size_t variable : assigned) {
      if (!propagate_parallel(problem_, store_, variable)) return false;
    }
    const Graph& graph = problem_.graph;
    if (!propagate_group(graph.sums, assigned, std::nullopt) ||
        !propagate_group(graph.operations, assigned, std::nullopt)) {
      return false;
    }
    for (size_t input = 0; input < graph.inputs.size(); ++input) {
      if (!propagate_group(graph.inputs[input], assigned, input)) return false;
    }
    return true;
  }

  bool propagate_group(const Nodes& nodes, const std::vector<size_t>& assigned, std::optional<size_t> input) {
    std::vector<size_t> members;
    std::ranges::copy_if(assigned, std::back_inserter(members),
                         [&](size_t variable) { return nodes.contains(variable); });
    if (members.empty()) return true;
    if (!propagate_all_different(problem_, store_, members)) return false;
    if (nodes.first == problem_.graph.operations.first) return true;  // operations form no tensor
    has_changed_[input ? *input + 1 : 0] = 1;
    if (!input || !problem_.rules.is_linear) return true;
    return std::ranges::all_of(
        members, [&](size_t variable) { return propagate_linear_access(problem_, store_, *input, variable); });
  }

  bool propagate_rectangle(size_t tensor) {
    if (tensor == 0) return propagate_output_rectangle(problem_, store_);
    return propagate_input_rectangle(problem_, store_, tensor - 1);
  }

  const Problem& problem_;
  Store& store_;
  size_t edges_;
  size_t others_;
  std::vector<char> has_changed_;  ///< the output, then the inputs: an element has been assigned
};

}  // namespace

bool propagate_root(const Problem& problem, Store& store) {
  if (problem.rules.has_fixed_origin && !fix_origins(problem, store)) return false;
  return propagate(problem, store, 0);
}

bool propagate(const Problem& problem, Store& store, size_t known) { return Agenda(problem, store, known).run(); }

}  // namespace covenant::compiler::embedding::scalar
