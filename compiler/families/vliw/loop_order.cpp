#include "compiler/families/vliw/loop_order.h"

#include <algorithm>

#include "compiler/families/vliw/turned_loops.h"

namespace covenant::compiler::vliw {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Transfer;

/// True if the body is only loads and products that are added up.
bool is_sum_of_products(const std::vector<Operation>& body) {
  return std::all_of(body.begin(), body.end(), [](const Operation& operation) {
    if (const auto* transfer = std::get_if<Transfer>(&operation.op)) {
      return !transfer->destination && std::holds_alternative<Reference>(transfer->source);
    }
    const auto* compute = std::get_if<Compute>(&operation.op);
    return compute != nullptr && compute->capability == "GEMM";
  });
}

/// The loops of a perfect nest around a sum of products; empty if this is none.
std::vector<Loop*> nest_of(Loop& outermost) {
  std::vector<Loop*> nest{&outermost};
  while (nest.back()->body.size() == 1) {
    auto* inner = std::get_if<Loop>(&nest.back()->body.front().op);
    if (inner == nullptr) break;
    nest.push_back(inner);
  }
  if (!is_sum_of_products(nest.back()->body)) nest.clear();
  return nest;
}

void reorder(std::vector<Operation>& body) {
  for (Operation& operation : body) {
    auto* loop = std::get_if<Loop>(&operation.op);
    if (loop == nullptr) continue;
    const std::vector<Loop*> nest = nest_of(*loop);
    if (nest.empty()) {
      reorder(loop->body);
      continue;
    }
    std::vector<Loop> heads;
    for (const Loop* one : nest) heads.push_back({one->variable, one->lower, one->upper, one->stride, {}, one->level});
    std::stable_sort(heads.begin(), heads.end(),
                     [](const Loop& a, const Loop& b) { return trips_of(a) < trips_of(b); });
    for (size_t i = 0; i < nest.size(); ++i) {
      heads[i].body = std::move(nest[i]->body);
      *nest[i] = std::move(heads[i]);
    }
  }
}

}  // namespace

Codelet with_longest_loops_inside(const Codelet& tiled) {
  Codelet result = tiled;
  reorder(result.body);
  return result;
}

}  // namespace covenant::compiler::vliw
