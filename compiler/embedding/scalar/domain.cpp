#include "compiler/embedding/scalar/domain.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "acg/base/check.h"

namespace covenant::compiler::embedding::scalar {

bool Domain::is_single() const { return boxes_.size() == 1 && scalar::size(boxes_.front()) == 1; }

uint64_t Domain::size() const {
  uint64_t sum = 0;
  for (const Box& box : boxes_) {
    const uint64_t size = scalar::size(box);
    if (sum > std::numeric_limits<uint64_t>::max() - size) return std::numeric_limits<uint64_t>::max();
    sum += size;
  }
  return sum;
}

bool Domain::contains(const Tuple& tuple) const {
  return std::ranges::any_of(boxes_, [&](const Box& box) { return scalar::contains(box, tuple); });
}

Tuple Domain::first() const {
  check(!boxes_.empty(), "an empty domain has no tuple");
  Tuple tuple;
  tuple.reserve(boxes_.front().ranges.size());
  for (const Range& range : boxes_.front().ranges) tuple.push_back(range.first);
  return tuple;
}

Domain kept(const Domain& domain, const Box& box) {
  std::vector<Box> boxes;
  for (const Box& one : domain.boxes()) {
    if (std::optional<Box> both = intersection(one, box)) boxes.push_back(*std::move(both));
  }
  return Domain(std::move(boxes));
}

Domain without(const Domain& domain, std::span<const Box> boxes) {
  std::vector<Box> left(domain.boxes().begin(), domain.boxes().end());
  std::vector<Box> next;
  for (const Box& removed : boxes) {
    next.clear();
    for (Box& one : left) {
      if (overlap(one, removed)) {
        append_difference(one, removed, next);
      } else {
        next.push_back(std::move(one));
      }
    }
    left.swap(next);
  }
  return Domain(std::move(left));
}

}  // namespace covenant::compiler::embedding::scalar
