#include "compiler/frontend/resize.h"

#include <algorithm>
#include <cmath>

namespace covenant::compiler::frontend {
namespace {

/// The input's index for an index of the result.
int64_t nearest(uint64_t i, double factor, const std::string& transformation, const std::string& rounding) {
  const auto place = static_cast<double>(i);
  const double at = transformation == "asymmetric" ? place / factor : (place + 0.5) / factor - 0.5;
  if (rounding == "floor") return static_cast<int64_t>(std::floor(at));
  if (rounding == "ceil") return static_cast<int64_t>(std::ceil(at));
  const double below = std::floor(at);
  const bool goes_up = at - below > 0.5 || (at - below == 0.5 && rounding == "round_prefer_ceil");
  return static_cast<int64_t>(below) + (goes_up ? 1 : 0);
}

}  // namespace

bool repeats_each(uint64_t from, uint64_t to, const std::string& transformation, const std::string& rounding) {
  if (from == 0 || to == 0 || to % from != 0) return false;
  if (to == from) return true;
  const uint64_t factor = to / from;
  for (uint64_t i = 0; i < to; ++i) {
    const int64_t index = nearest(i, static_cast<double>(factor), transformation, rounding);
    if (std::clamp<int64_t>(index, 0, static_cast<int64_t>(from) - 1) != static_cast<int64_t>(i / factor)) return false;
  }
  return true;
}

}  // namespace covenant::compiler::frontend
