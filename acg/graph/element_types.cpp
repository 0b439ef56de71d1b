#include "acg/graph/element_types.h"

#include <charconv>
#include <fmt/format.h>

#include "acg/base/check.h"

namespace covenant::acg {
namespace {

/// The number that `text` writes. Nothing unless it is one to three digits without a leading zero.
std::optional<uint32_t> small_number(std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || fmt::format("{}", value) != text) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::string> element_type_names(const Machine& machine) {
  std::vector<std::string> names;
  for (const DTypeInfo& entry : kDTypes) names.emplace_back(entry.name);
  for (const DTypeInfo& entry : kCapabilityDTypes) {
    if (entry.bits > 0) names.emplace_back(entry.name);
  }
  names.emplace_back("fixed(Q,F)");
  for (const NamedDType& entry : machine.dtypes) names.push_back(entry.name);
  return names;
}

std::string element_type_text(const CapabilityOperand& operand) {
  if (operand.dtype == DType::kNamed) return operand.format.name;
  if (operand.dtype != DType::kFixed) return std::string(name(operand.dtype));
  return fmt::format("fixed({},{})", operand.format.integer_bits, operand.format.fraction_bits);
}

std::optional<CapabilityOperand> element_type_of(const Machine& machine, std::string_view text) {
  if (const std::optional<DType> dtype = capability_dtype_named(text)) return CapabilityOperand{*dtype, {}, {}};
  for (const NamedDType& entry : machine.dtypes) {
    if (entry.name == text) return CapabilityOperand{DType::kNamed, {}, {0, 0, entry.name}};
  }
  if (!text.starts_with("fixed(") || !text.ends_with(')')) return std::nullopt;
  const std::string_view inside = text.substr(6, text.size() - 7);
  const size_t comma = inside.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::optional<uint32_t> integer = small_number(inside.substr(0, comma));
  const std::optional<uint32_t> fraction = small_number(inside.substr(comma + 1));
  if (!integer || !fraction) return std::nullopt;
  return CapabilityOperand{DType::kFixed, {}, {*integer, *fraction, ""}};
}

uint32_t element_bits(const Machine& machine, const CapabilityOperand& operand) {
  if (operand.dtype == DType::kFixed) return operand.format.integer_bits + operand.format.fraction_bits;
  if (operand.dtype != DType::kNamed) return bits(operand.dtype);
  for (const NamedDType& entry : machine.dtypes) {
    if (entry.name == operand.format.name) return entry.bits;
  }
  fail("an element type that the machine does not have");
}

}  // namespace covenant::acg
