/// First pass, `bind`: turns a codelet of the library into the codelet of one layer of a model.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// The values that a layer gives its codelet: one for every param, and a dtype for every `inp` and `out` without one.
struct Layer {
  std::string name;
  /// An integer that is an operand of a compute becomes an i32 constant.
  std::map<std::string, std::variant<int64_t, codelet::Constant>> params;
  std::map<std::string, DType> dtypes{};
  bool operator==(const Layer&) const = default;
};

/// Pre: `codelet` is as in the library. Post: no params, every shape and bound is a number, every surrogate has a dtype
/// (a local without one takes that of the first operand it is computed from), and the codelet is named after the layer
/// (characters that names cannot have become `_`). Errors: CDL0030 (param without a value), CDL0031 (unknown param or
/// surrogate), CDL0032 (surrogate without a dtype), CDL0033 (f32 where an integer is needed, a size below 1, an integer
/// of more than 32 bits), CDL0024 (an index leaves its tensor), CDL0025 (an attribute outside of its result's dtype),
/// CDL0026 (a result that is not computed whole, a local that nothing reads), CDL0034 (the layer's dtype is not the
/// codelet's). Shown by tests/pass/passes.
Result<codelet::Codelet> bind(const codelet::Codelet& codelet, const Layer& layer);

}  // namespace covenant::compiler
