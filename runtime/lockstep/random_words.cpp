#include "runtime/lockstep/random_words.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

#include "acg/base/check.h"
#include "acg/isa/operation.h"

namespace covenant::runtime {
namespace {

using acg::OperandInfo;
using acg::OperandKind;
using acg::Operation;
using acg::UnitKind;

constexpr uint32_t kWordBits = 32;

/// A field before it is written.
struct Field {
  std::string operand;  ///< empty: a constant
  uint32_t width = 1;
  bool is_signed = false;
  std::vector<std::string> values;  ///< of an efield
};

uint32_t bits_for(size_t codes) { return std::max<uint32_t>(1, static_cast<uint32_t>(std::bit_width(codes - 1))); }

/// Bits that a number needs, by the ranges of docs/reference/units and as narrow as `names` says.
uint32_t number_bits(const WordNames& names, Operation operation, UnitKind unit, std::string_view operand) {
  if (operand == "level") return unit == UnitKind::kAddressGenerator ? 5 : 3;
  if (operand == "slot") return unit == UnitKind::kSimdArray ? 5 : names.slot_bits;
  if (operand == "first_level") return 4;
  if (operand == "reduction") return 1;
  if (operand == "last") return operation == Operation::kBlockEnd ? 1 : names.last_bits;
  if (operand == "run_last") return names.run_bits;
  if (operand == "index" || operand == "dst" || operand == "src1" || operand == "src2") return 5;
  if (operation == Operation::kFill || operation == Operation::kQuantization) return 8;
  return 16;  // count, value
}

class Words {
 public:
  Words(Draw& draw, const WordNames& names) : draw_(draw), names_(names) {}

  RandomWords run() {
    RandomWords result;
    // The longest word leaves seven bits; opcode and function together tell the words apart.
    const auto prefix = static_cast<uint32_t>(draw_.between(6, 7));
    result.opcode_bits = static_cast<uint32_t>(draw_.between(4, prefix));
    const uint32_t function_bits = prefix - result.opcode_bits;
    std::vector<uint32_t> codes(size_t{1} << prefix);
    std::iota(codes.begin(), codes.end(), 0U);
    draw_.shuffle(codes);
    std::vector<std::string> lines;
    for (size_t i = 0; i < acg::kFirstVliwOperation; ++i) {
      const uint32_t code = codes[i];
      lines.push_back(mnemonic(static_cast<Operation>(i), code >> function_bits, function_bits,
                               code & ((1U << function_bits) - 1), prefix));
    }
    draw_.shuffle(lines);
    for (const std::string& line : lines) result.text += line;
    return result;
  }

 private:
  std::vector<std::string> choices(const acg::OperationInfo& operation, const OperandInfo& operand) const {
    if (operand.kind == OperandKind::kEngine) return names_.engines;
    if (operand.kind == OperandKind::kMemory) {
      return operation.unit == UnitKind::kSimdArray ? names_.simd_memories : names_.scratchpads;
    }
    return {operand.choices.begin(), operand.choices.end()};
  }

  Field field_of(const acg::OperationInfo& operation, const OperandInfo& operand) {
    Field field;
    field.operand = std::string(operand.name);
    if (operand.kind == OperandKind::kUnsigned || operand.kind == OperandKind::kSigned) {
      field.width = number_bits(names_, operation.operation, operation.unit, operand.name);
      field.is_signed = operand.kind == OperandKind::kSigned;
      return field;
    }
    field.values = choices(operation, operand);
    draw_.shuffle(field.values);
    field.width = bits_for(field.values.size());
    return field;
  }

  /// Some of the bits that are left make fields wider or lie between them.
  void use_up(std::vector<Field>& fields, uint32_t left) {
    while (left > 0 && !draw_.once_in(3)) {
      const auto width = static_cast<uint32_t>(draw_.between(1, std::min<uint32_t>(left, 4)));
      left -= width;
      Field& field = fields[static_cast<size_t>(draw_.between(0, static_cast<int64_t>(fields.size()) - 1))];
      if (!field.operand.empty() && field.width + width <= 24 && draw_.once_in(2)) {
        field.width += width;
      } else {
        fields.push_back({"", width, false, {}});
      }
    }
    draw_.shuffle(fields);
  }

  std::string mnemonic(Operation of, uint32_t opcode, uint32_t function_bits, uint32_t function, uint32_t prefix) {
    const acg::OperationInfo& operation = acg::info(of);
    std::vector<Field> fields;
    uint32_t used = prefix;
    for (const OperandInfo& operand : operation.operands) {
      fields.push_back(field_of(operation, operand));
      used += fields.back().width;
    }
    check(used <= kWordBits, fmt::format("{} does not fit a word", acg::qualified_name(of)));
    use_up(fields, kWordBits - used);
    std::string text = fmt::format("  mnemonic {}_{}({}) {{", name_of(operation.unit), operation.name, opcode);
    if (function_bits > 0) text += fmt::format(" constant(\"FUNCTION\", {}, {});", function_bits, function);
    for (const Field& field : fields) text += written(field);
    return text + fmt::format(" does = {}; }}\n", acg::qualified_name(of));
  }

  std::string written(const Field& field) {
    if (field.operand.empty()) {
      return fmt::format(" constant(\"BITS\", {}, {});", field.width, draw_.between(0, (1 << field.width) - 1));
    }
    if (field.values.empty()) {
      return fmt::format(" ifield(\"{0}\", {1}){2} = {0};", field.operand, field.width,
                         field.is_signed ? " signed" : "");
    }
    return fmt::format(" efield(\"{0}\", {1}, [\"{2}\"]) = {0};", field.operand, field.width,
                       fmt::join(field.values, "\", \""));
  }

  Draw& draw_;
  const WordNames& names_;
};

}  // namespace

RandomWords random_words(Draw& draw, const WordNames& names) { return Words(draw, names).run(); }

}  // namespace covenant::runtime
