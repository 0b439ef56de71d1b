#include "compiler/embedding/scalar/propagate.h"

#include <algorithm>
#include <vector>

#include "compiler/embedding/scalar/access.h"
#include "compiler/embedding/scalar/edges.h"
#include "compiler/embedding/scalar/rectangle.h"

namespace covenant::compiler::embedding::scalar {
namespace {

/// What is still to be propagated. Cheap constraints that fail often come first: which order is taken changes the time
/// of a node, not what remains after it.
class Agenda {
 public:
  Agenda(const Problem& problem, Store& store, size_t known)
      : problem_(problem), store_(store), edges_(known), others_(known), has_changed_(problem.inputs.size() + 1, 0) {}

  bool run() {
    while (true) {
      if (edges_ < store_.assigned().size()) {
        if (!propagate_dataflow(problem_, store_, store_.assigned()[edges_++])) return false;
      } else if (others_ < store_.assigned().size()) {
        if (!propagate_group(store_.assigned()[others_++])) return false;
      } else if (const auto changed = std::ranges::find(has_changed_, 1); changed != has_changed_.end()) {
        *changed = 0;
        if (!propagate_rectangle(static_cast<size_t>(changed - has_changed_.begin()))) return false;
      } else {
        return true;
      }
    }
  }

 private:
  bool propagate_group(size_t variable) {
    if (!propagate_parallel(problem_, store_, variable)) return false;
    if (!propagate_all_different(problem_, store_, variable)) return false;
    if (variable < problem_.graph.sums.end()) has_changed_[0] = 1;
    for (size_t input = 0; input < problem_.inputs.size(); ++input) {
      const Nodes& nodes = problem_.graph.inputs[input];
      if (variable < nodes.first || variable >= nodes.end()) continue;
      has_changed_[input + 1] = 1;
      if (problem_.rules.is_linear && !propagate_linear_access(problem_, store_, input, variable)) return false;
    }
    return true;
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
