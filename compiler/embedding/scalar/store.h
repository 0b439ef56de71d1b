/// The domains of all variables, with a trail that undoes changes exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/embedding/scalar/domain.h"
#include "compiler/embedding/scalar/problem.h"

namespace covenant::compiler::embedding::scalar {

class Store {
 public:
  /// Domains of the problem before any propagation.
  explicit Store(const Problem& problem);

  const Domain& domain(size_t variable) const { return domains_[variable]; }
  /// True if one value is left.
  bool is_assigned(size_t variable) const { return is_assigned_[variable]; }
  /// Precondition: the variable is assigned.
  const Tuple& value(size_t variable) const { return values_[variable]; }
  /// Variables that are assigned, in the order in which it happened.
  std::span<const size_t> assigned() const { return assigned_; }

  // Functions that narrow a domain give false, and leave it as it is, if nothing of it would be left.
  bool assign(size_t variable, const Tuple& value);          ///< narrows it to one value
  bool keep(size_t variable, const Box& box);                ///< removes values outside of the box
  bool remove(size_t variable, std::span<const Box> boxes);  ///< removes values in the disjoint boxes
  bool replace(size_t variable, Domain part);                ///< precondition: a part of the domain

  /// A state to return to.
  struct Mark {
    size_t trail = 0;
    size_t assigned = 0;
  };
  Mark mark();
  /// Restores all domains to what they were at the mark.
  void undo(const Mark& mark);

 private:
  struct Change {
    size_t variable;
    Domain before;
  };
  std::vector<Domain> domains_;
  std::vector<char> is_assigned_;
  std::vector<Tuple> values_;  ///< of assigned variables; of others what they once were
  std::vector<size_t> assigned_;
  std::vector<Change> trail_;
  // A domain goes to the trail once between two marks.
  uint64_t period_ = 1;                 ///< since the last mark or undo
  std::vector<uint64_t> saved_period_;  ///< by variable: when its domain went to the trail last
};

}  // namespace covenant::compiler::embedding::scalar
