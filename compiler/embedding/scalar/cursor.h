/// The values of a domain in lexicographic order: value selection (Rieber, Acosta and Fröning, "The Programming of Deep
/// Learning Accelerators as a Constraint Satisfaction Problem", section 4.2).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compiler/embedding/scalar/domain.h"

namespace covenant::compiler::embedding::scalar {

class Cursor {
 public:
  /// `order`: dimensions of the domain, the slowest first.
  Cursor(const Domain& domain, std::vector<size_t> order);

  /// The next value; false if there is none. Amortised, a step costs the number of dimensions.
  bool next(Tuple& value);

 private:
  /// A box and the least of its values that have not been given; both with dimensions in the cursor's order.
  struct Part {
    std::vector<Range> ranges;
    Tuple least;
    bool is_left = true;
  };
  static void advance(Part& part);
  void choose();

  std::vector<size_t> order_;
  std::vector<Part> parts_;
  size_t chosen_ = 0;  ///< the part whose `least` is the least of all
  size_t second_ = 0;  ///< the next one among the others; `parts_.size()` if there is none
};

}  // namespace covenant::compiler::embedding::scalar
