#include "compiler/schedule/orders.h"

#include <algorithm>

namespace covenant::compiler {
namespace {

/// Generates orders from the innermost loop outwards.
class Orders {
 public:
  /// `split`: the loops of several tiles, those of nests included.
  Orders(const TileProblem& problem, const std::vector<size_t>& split)
      : loops_(problem.loops), shared_(problem.shared) {
    for (const size_t loop : split) {
      if (loop < problem.shared) places_.push_back(loop);
    }
    for (const TileBuffer& buffer : problem.buffers) {
      if (buffer.role == TileRole::kIntermediate) continue;
      // Loops of a nest are inside of all shared ones: transfers that they move run equally often in every order.
      const bool is_open = std::none_of(split.begin(), split.end(),
                                        [&](size_t loop) { return loop >= problem.shared && buffer.depends_on(loop); });
      if (is_open) transfers_.push_back(&buffer);
    }
  }

  std::vector<std::vector<size_t>> all() {
    std::vector<bool> is_placed(places_.size());
    std::vector<size_t> inside;
    descend(is_placed, inside);
    std::sort(result_.begin(), result_.end());
    return std::move(result_);
  }

 private:
  /// `inside`: the loops that are placed already, innermost first.
  void descend(std::vector<bool>& is_placed, std::vector<size_t>& inside) {
    if (inside.size() == places_.size()) return write(inside);
    for (size_t i = 0; i < places_.size(); ++i) {
      if (is_placed[i] || comes_too_late(places_[i], inside)) continue;
      // The order with the two exchanged comes first and is as good.
      if (!inside.empty() && places_[i] > inside.back() && can_swap(places_[i], inside)) continue;
      is_placed[i] = true;
      inside.push_back(places_[i]);
      descend(is_placed, inside);
      inside.pop_back();
      is_placed[i] = false;
    }
  }

  /// True if the loop would be around one that must be around it.
  bool comes_too_late(size_t outer, const std::vector<size_t>& inside) const {
    return loops_[outer].in_order &&
           std::ranges::any_of(inside, [&](size_t loop) { return loops_[loop].in_order && loop < outer; });
  }

  /// True if exchanging `outer` and the outermost loop of `inside` changes no transfer's number of executions.
  bool can_swap(size_t outer, const std::vector<size_t>& inside) const {
    return std::all_of(transfers_.begin(), transfers_.end(), [&](const TileBuffer* buffer) {
      return buffer->depends_on(outer) == buffer->depends_on(inside.back()) ||
             std::any_of(inside.begin(), inside.end() - 1, [&](size_t loop) { return buffer->depends_on(loop); });
    });
  }

  void write(const std::vector<size_t>& inside) {
    std::vector<size_t> order(shared_);
    for (size_t i = 0; i < shared_; ++i) order[i] = i;
    for (size_t i = 0; i < places_.size(); ++i) order[places_[i]] = inside[inside.size() - 1 - i];
    result_.push_back(std::move(order));
  }

  const std::vector<TileLoop>& loops_;
  size_t shared_;
  std::vector<size_t> places_;                ///< shared loops with several tiles
  std::vector<const TileBuffer*> transfers_;  ///< transfers whose number of executions depends on the order
  std::vector<std::vector<size_t>> result_;
};

}  // namespace

const std::vector<std::vector<size_t>>& LoopOrders::of(const Tiling& tiling) {
  split_.clear();
  for (size_t i = 0; i < problem_.loops.size(); ++i) {
    if (problem_.loops[i].tiles(tiling[i]) > 1) split_.push_back(i);
  }
  const auto known = known_.find(split_);
  if (known != known_.end()) return known->second;
  return known_[split_] = Orders(problem_, split_).all();
}

}  // namespace covenant::compiler
