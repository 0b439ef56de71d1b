#include "fuzz/units/simd_array.h"

#include <array>
#include <bit>
#include <fmt/format.h>

#include "acg/operations/simd_operation.h"

namespace covenant::runtime::units {
namespace {

using acg::Operation;

constexpr std::array kNeeds{Operation::kSimdBase, Operation::kSimdTrip,  Operation::kTypes,
                            Operation::kRequant,  Operation::kSimdIndex, Operation::kSimdStride};

constexpr std::array kBase{Operation::kSimdBase, Operation::kSimdBaseHigh};
constexpr std::array kStride{Operation::kSimdStride, Operation::kSimdStrideHigh};
constexpr std::array kImmediate{Operation::kImmediateLow, Operation::kImmediateHigh};
constexpr std::array kTable{Operation::kTable};
constexpr std::array<PartsOfANumber, 4> kNumbers{kBase, kStride, kImmediate, kTable};

std::optional<uint32_t> bits(const WordNames& /*names*/, Operation operation, std::string_view operand,
                             uint32_t part_bits) {
  if (operand == "slot") return 5;  // of immediates
  if (operation == Operation::kTable && operand == "index") {
    return static_cast<uint32_t>(std::bit_width((acg::kMostTableBytes * 8 - 1) / part_bits));
  }
  if (operation == Operation::kQuantization || operation == Operation::kQuantizationHigh) return 8;
  return std::nullopt;
}

std::optional<std::vector<std::string>> choices(const WordNames& names, Operation operation,
                                                const acg::OperandInfo& operand) {
  if (operand.kind == acg::OperandKind::kMemory) return names.addressed;
  if (operation == Operation::kTypes) return element_types(names, {"I32", "F32"});
  return std::nullopt;
}

/// Words of numbers of several bytes are those of machines that have some; sums are scaled in one way.
bool is_said(const WordNames& names, Operation operation) {
  const bool is_real =
      operation == Operation::kRequant || operation == Operation::kRequantAdd || operation == Operation::kRequantMul;
  if (is_real || acg::is_simd_fixed(operation)) return names.in_fixed_point != is_real;
  return operation != Operation::kQuantizationHigh || names.element_bits > 8;
}

}  // namespace

constinit const RandomUnit kSimdArray{.kind = acg::UnitKind::kSimdArray,
                                      .needed = kNeeds,
                                      .numbers = kNumbers,
                                      .bits = bits,
                                      .choices = choices,
                                      .is_said = is_said};

std::string lane_abilities(Draw& draw, const DrawnLanes& drawn, int64_t times) {
  std::vector<std::string> lines;
  const auto ability = [&](std::string_view output, std::string_view name, const std::vector<std::string>& inputs) {
    if (times != 0 && draw.once_in(times)) return;
    std::string text = fmt::format("    ({},{}) = {}(", output, drawn.lanes, name);
    for (size_t i = 0; i < inputs.size(); ++i) text += (i > 0 ? "," : "") + inputs[i];
    lines.push_back(text + fmt::format(") {{ latency = {}; }}\n", draw.between(1, 9)));
  };
  const auto vector = [&](std::string_view type) { return fmt::format("({},{})", type, drawn.lanes); };
  for (const std::string_view name : {"ADD", "SUB", "MUL", "MAX", "MIN"}) {
    ability("i32", name, {vector("i32"), vector("i32")});
  }
  ability("i32", "ADD", {vector("i32"), "(i32,1)"});
  ability("i32", "MOVE", {vector("i32")});
  for (const std::string& type : {fmt::format("i{}", drawn.element_bits), fmt::format("u{}", drawn.element_bits)}) {
    ability(type, "MAX", {vector(type), "(i32,1)"});
    ability(type, "MIN", {vector(type), "(i32,1)"});
    ability(type, "REDUCE_MAX", {vector(type)});
    ability("i32", "REDUCE_SUM", {vector(type)});
    const std::string fixed = drawn.in_fixed_point ? "_FIXED" : "";
    std::vector<std::string> factors{vector(type), vector(type), "(f32,1)", "(f32,1)", "(i32,1)", "(i32,1)"};
    if (drawn.in_fixed_point) factors.erase(factors.begin() + 2);  // the zero point of a product is no operand
    ability(type, "REQUANT" + fixed, {vector("i32"), vector("f32")});
    ability(type, "REQUANT" + fixed, {vector("i32"), "(f32,1)"});
    ability(type, "REQUANT_ADD" + fixed, {vector(type), vector(type), "(f32,1)", "(f32,1)", "(f32,1)"});
    ability(type, "REQUANT_MUL" + fixed, factors);
    if (drawn.element_bits <= 8)
      ability(type, "LOOKUP", {vector(type), fmt::format("({},{})", type, 1 << drawn.element_bits)});
    ability(type, "SUB", {vector(type), vector(type)});
    ability("f32", "DEQUANTIZE", {vector(type), "(f32,1)", "(i32,1)"});
    ability("f32", "DEQUANTIZE_SUM", {vector(type), "(f32,1)", "(i32,1)"});
    if (drawn.element_bits <= 8)
      ability("f32", "LOOKUP", {vector(type), fmt::format("(f32,{})", 1 << drawn.element_bits)});
    ability(type, "QUANTIZE", {vector("f32"), vector("f32"), "(f32,1)"});
    ability(type, "QUANTIZE", {vector("f32"), "(f32,1)", "(f32,1)"});
  }
  for (const char* operation : {"ADD", "SUB", "MUL", "DIV", "MAX", "MIN"}) {
    ability("f32", operation, {vector("f32"), vector("f32")});
    ability("f32", operation, {vector("f32"), "(f32,1)"});
  }
  ability("f32", "SQRT", {vector("f32")});
  ability("f32", "MOVE", {vector("i32")});
  ability("f32", "REDUCE_SUM", {vector("f32")});
  draw.shuffle(lines);
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

std::string lanes_text(const std::string& name, const DrawnLanes& drawn, const std::string& abilities) {
  return fmt::format("  compute {} {{\n    unit = simd_array; lanes = {}; half_away = {};\n{}  }}\n", name, drawn.lanes,
                     drawn.half_away ? 1 : 0, abilities);
}

}  // namespace covenant::runtime::units
