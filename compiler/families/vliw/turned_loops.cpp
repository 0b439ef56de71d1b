#include "compiler/families/vliw/turned_loops.h"

#include <algorithm>

#include "acg/base/rounding.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler::vliw {
namespace {

using codelet::Compute;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;

bool uses(const std::vector<Operation>& body, const std::string& local) {
  bool found = false;
  for_each_operation(body, [&](const Operation& operation, const auto& /*loops*/) {
    const auto* compute = std::get_if<Compute>(&operation.op);
    if (compute == nullptr) return;
    for (const auto& operand : compute->operands) {
      const auto* reference = std::get_if<Reference>(&operand);
      found = found || (reference != nullptr && reference->surrogate == local);
    }
  });
  return found;
}

}  // namespace

int64_t trips_of(const Loop& loop) {
  return ceil_divide(loop.upper.constant().value() - loop.lower.constant().value(), loop.stride.constant().value());
}

bool is_turned(const Loop& loop) {
  bool found = false;
  if (trips_of(loop) == 1) return false;
  for_each_operation(loop.body, [&](const Operation& operation, const auto& /*loops*/) {
    found = found || std::holds_alternative<codelet::Transfer>(operation.op);
  });
  return found;
}

bool is_used_again(const std::string& local, std::span<const Operation> after) {
  return std::any_of(after.begin(), after.end(), [&](const Operation& operation) {
    const auto* loop = std::get_if<Loop>(&operation.op);
    if (loop == nullptr) return false;
    return is_turned(*loop) ? uses(loop->body, local) : is_used_again(local, loop->body);
  });
}

}  // namespace covenant::compiler::vliw
