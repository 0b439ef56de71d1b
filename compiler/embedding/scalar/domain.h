/// Domains of scalar variables: unions of disjoint boxes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/embedding/scalar/box.h"

namespace covenant::compiler::embedding::scalar {

/// A set of tuples. A value type; equal sets may consist of different boxes.
class Domain {
 public:
  Domain() = default;  ///< the empty set
  explicit Domain(Box box) { boxes_.push_back(std::move(box)); }
  /// Precondition: the boxes are disjoint.
  explicit Domain(std::vector<Box> boxes) : boxes_(std::move(boxes)) {}

  std::span<const Box> boxes() const { return boxes_; }
  bool is_empty() const { return boxes_.empty(); }
  bool is_single() const;  ///< one tuple
  uint64_t size() const;   ///< number of tuples; 2^64 - 1 stands for all larger numbers
  bool contains(const Tuple& tuple) const;
  Tuple first() const;  ///< a tuple of it; the only one if `is_single()`. Precondition: not empty

 private:
  std::vector<Box> boxes_;
};

/// The tuples of `domain` that lie in the box.
Domain kept(const Domain& domain, const Box& box);

/// The tuples of `domain` that lie in none of the disjoint boxes.
Domain without(const Domain& domain, std::span<const Box> boxes);

}  // namespace covenant::compiler::embedding::scalar
