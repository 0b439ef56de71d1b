#include "compiler/passes/bind.h"

#include <cctype>

#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/element.h"
#include "compiler/codelet/indices.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/results.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Constant;
using codelet::diagnose;
using codelet::Expression;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::SurrogateKind;

std::string as_name(const std::string& layer) {
  std::string name;
  for (const char c : layer) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, 1, '_');
  return name;
}

std::vector<std::string> names_of(const Codelet& codelet, bool params) {
  std::vector<std::string> names;
  for (const Surrogate& surrogate : codelet.surrogates) {
    if ((surrogate.kind == SurrogateKind::kParam) == params) names.push_back(surrogate.name);
  }
  return names;
}

Status check_layer(const Codelet& source, const Layer& layer) {
  for (const auto& [name, value] : layer.params) {
    const Surrogate* surrogate = find_surrogate(source, name);
    if (surrogate == nullptr || surrogate->kind != SurrogateKind::kParam) {
      return diagnose("CDL0031", {}, layer.name, "the codelet '" + source.name + "' has no such param", name,
                      names_of(source, true), "give values to the codelet's params only");
    }
    const auto* integer = std::get_if<int64_t>(&value);
    const auto range = codelet::integer_range(DType::kI32);
    if (integer != nullptr && (*integer < range.first || *integer > range.second)) {
      return diagnose("CDL0033", surrogate->where, layer.name, "the value of '" + name + "' exceeds 32 bits",
                      std::to_string(*integer), {}, "use a smaller layer");
    }
  }
  for (const auto& [name, dtype] : layer.dtypes) {
    const Surrogate* surrogate = find_surrogate(source, name);
    if (surrogate == nullptr || surrogate->kind == SurrogateKind::kParam) {
      return diagnose("CDL0031", {}, layer.name, "the codelet '" + source.name + "' has no such surrogate", name,
                      names_of(source, false), "give dtypes to the codelet's tensors only");
    }
  }
  for (const std::string& name : names_of(source, true)) {
    if (!layer.params.contains(name) && !find_surrogate(source, name)->value) {
      return diagnose("CDL0030", find_surrogate(source, name)->where, layer.name,
                      "the layer gives no value to a param of '" + source.name + "'", name, {}, "give it a value");
    }
  }
  return Done{};
}

Constant constant_of(const Codelet& codelet, const Layer& layer, const std::string& name) {
  const auto given = layer.params.find(name);
  if (given == layer.params.end()) return find_surrogate(codelet, name)->value.value();
  if (const auto* constant = std::get_if<Constant>(&given->second)) return *constant;
  return {DType::kI32, std::get<int64_t>(given->second), 0};
}

/// Replaces params that are operands by constants.
void bind_operands(Codelet& bound, const std::map<std::string, Constant>& params) {
  for_each_operation(bound.body, [&](Operation& operation) {
    auto* compute = std::get_if<Compute>(&operation.op);
    if (compute == nullptr) return;
    for (auto& operand : compute->operands) {
      const auto* reference = std::get_if<Reference>(&operand);
      if (reference == nullptr || !reference->indices.empty()) continue;
      if (const auto param = params.find(reference->surrogate); param != params.end()) operand = param->second;
    }
  });
}

/// Replaces params inside of expressions by integers. Returns the name of one that is f32, or nothing.
std::optional<std::string> bind_expressions(Codelet& bound, const std::map<std::string, Constant>& params) {
  std::optional<std::string> real;
  for_each_expression(bound, [&](Expression& expression) {
    for (const auto& [name, value] : params) {
      if (!expression.mentions(name)) continue;
      if (value.dtype == DType::kF32) real = name;
      expression = expression.substitute(name, value.integer);
    }
  });
  return real;
}

void infer_local_dtypes(Codelet& bound) {
  for_each_operation(bound.body, [&](Operation& operation) {
    const auto* compute = std::get_if<Compute>(&operation.op);
    if (compute == nullptr || compute->operands.empty()) return;
    Surrogate* local = find_surrogate(bound, compute->destination.surrogate);
    if (local == nullptr || local->dtype || local->kind != SurrogateKind::kLocal) return;
    if (const auto* reference = std::get_if<Reference>(&compute->operands[0])) {
      if (const Surrogate* source = find_surrogate(bound, reference->surrogate)) local->dtype = source->dtype;
    }
  });
}

Status check_bound(const Codelet& bound, const Layer& layer) {
  for (const Surrogate& surrogate : bound.surrogates) {
    if (!surrogate.dtype) {
      return diagnose("CDL0032", surrogate.where, layer.name, "the layer gives no dtype to a tensor", surrogate.name,
                      {}, "give it a dtype");
    }
    for (const Expression& extent : surrogate.shape) {
      if (extent.constant().value_or(0) < 1) {
        return diagnose("CDL0033", surrogate.where, layer.name, "a size must be a number of at least 1",
                        print(surrogate), {}, "give the params of the shape positive values");
      }
    }
  }
  return Done{};
}

}  // namespace

Result<Codelet> bind(const Codelet& source, const Layer& layer) {
  if (Status checked = check_layer(source, layer); !checked) return checked.error();
  std::map<std::string, Constant> params;
  for (const std::string& name : names_of(source, true)) params[name] = constant_of(source, layer, name);
  Codelet bound = source;
  std::erase_if(bound.surrogates, [](const Surrogate& one) { return one.kind == SurrogateKind::kParam; });
  bound.name = as_name(layer.name.empty() ? source.name : layer.name);
  bind_operands(bound, params);
  if (const std::optional<std::string> real = bind_expressions(bound, params)) {
    return diagnose("CDL0033", {}, layer.name, "an f32 stands where an integer is needed", *real, {"an integer"},
                    "give this param an integer");
  }
  for (const auto& [name, dtype] : layer.dtypes) {
    Surrogate& surrogate = *find_surrogate(bound, name);
    if (surrogate.dtype && *surrogate.dtype != dtype) {
      return diagnose("CDL0034", surrogate.where, layer.name, "the codelet declares '" + name + "' of another dtype",
                      std::string(covenant::name(dtype)), {std::string(covenant::name(*surrogate.dtype))},
                      "write null in the codelet, or quantise the model so");
    }
    surrogate.dtype = dtype;
  }
  infer_local_dtypes(bound);
  if (Status checked = check_bound(bound, layer); !checked) return checked.error();
  if (Status checked = codelet::check_attributes(bound); !checked) return checked.error();
  if (Status checked = codelet::check_indices(bound); !checked) return checked.error();
  if (Status checked = codelet::check_results(bound); !checked) return checked.error();
  return bound;
}

}  // namespace covenant::compiler
