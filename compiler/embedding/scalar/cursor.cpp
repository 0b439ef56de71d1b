#include "compiler/embedding/scalar/cursor.h"

#include <utility>

namespace covenant::compiler::embedding::scalar {

Cursor::Cursor(const Domain& domain, std::vector<size_t> order) : order_(std::move(order)) {
  for (const Box& box : domain.boxes()) {
    Part& part = parts_.emplace_back();
    for (const size_t dimension : order_) {
      part.ranges.push_back(box.ranges[dimension]);
      part.least.push_back(box.ranges[dimension].first);
    }
  }
  choose();
}

bool Cursor::next(Tuple& value) {
  if (chosen_ == parts_.size()) return false;
  Part& part = parts_[chosen_];
  value.resize(order_.size());
  for (size_t i = 0; i < order_.size(); ++i) value[order_[i]] = part.least[i];
  advance(part);
  const bool stays = part.is_left && (second_ == parts_.size() || part.least < parts_[second_].least);
  if (!stays) choose();
  return true;
}

void Cursor::advance(Part& part) {
  for (size_t i = part.ranges.size(); i-- > 0;) {
    if (part.least[i] < part.ranges[i].last()) {
      part.least[i] += part.ranges[i].stride;
      return;
    }
    part.least[i] = part.ranges[i].first;
  }
  part.is_left = false;
}

void Cursor::choose() {
  chosen_ = second_ = parts_.size();
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (!parts_[i].is_left) continue;
    if (chosen_ == parts_.size() || parts_[i].least < parts_[chosen_].least) {
      second_ = chosen_;
      chosen_ = i;
    } else if (second_ == parts_.size() || parts_[i].least < parts_[second_].least) {
      second_ = i;
    }
  }
}

}  // namespace covenant::compiler::embedding::scalar
