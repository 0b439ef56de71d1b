#include "fuzz/random_words.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <numeric>
#include <optional>

#include "acg/base/check.h"
#include "acg/encoding/instruction_word.h"
#include "acg/operations/operation.h"
#include "fuzz/random_unit.h"

namespace covenant::runtime {
namespace {

using acg::OperandInfo;
using acg::OperandKind;
using acg::Operation;

constexpr uint32_t kUsualBits = 32;  // bits of a usual word

/// A field before it is written.
struct Field {
  std::string operand;  ///< empty: a constant
  uint32_t width = 1;
  bool is_signed = false;
  std::vector<std::string> values;  ///< names of an efield
  bool is_spare = false;            ///< a constant of a word that is wider than usual
};

/// Properties that all words of a machine share besides their opcodes.
struct Shape {
  std::map<Operation, uint32_t> part_bits;  ///< bits of the part of a number that a word sets
  bool has_encodings = false;
  uint32_t word_bits = kUsualBits;
};

/// Numbers are usually in parts of 16 bits.
Shape usual_shape() {
  Shape shape;
  for (const RandomUnit* unit : random_units()) {
    for (const PartsOfANumber& number : unit->numbers) {
      for (const Operation operation : number) shape.part_bits[operation] = 16;
    }
  }
  return shape;
}

/// One word, its opcode and function at the top.
struct Word {
  Operation does;
  uint32_t code = 0;
  std::vector<Field> fields;
  uint32_t used = 0;  ///< bits, with opcode and function
};

uint32_t bits_for(size_t codes) { return std::max<uint32_t>(1, static_cast<uint32_t>(std::bit_width(codes - 1))); }

/// Bits of the part of a number that a word of `operation` sets; 0 if it sets none.
uint32_t part_bits(const Shape& shape, Operation operation) {
  const auto found = shape.part_bits.find(operation);
  return found == shape.part_bits.end() ? 0 : found->second;
}

/// Number of parts that make up 32 bits.
size_t parts_of(const Shape& shape, Operation operation) {
  const uint32_t bits = part_bits(shape, operation);
  return (32 + bits - 1) / bits;
}

/// Bits that a number needs, by the ranges in docs/reference/units and the limits in `names`.
uint32_t number_bits(const WordNames& names, const Shape& shape, const acg::OperationInfo& operation,
                     std::string_view operand) {
  const RandomUnit& unit = *find_random_unit(operation.unit);
  const uint32_t part = part_bits(shape, operation.operation);
  if (unit.bits != nullptr) {
    if (const std::optional<uint32_t> bits = unit.bits(names, operation.operation, operand, part)) return *bits;
  }
  if (operand == "level") return 3;
  if (operand == "slot") return names.slot_bits;
  if (operand == "first_level") return 4;
  if (operand == "reduction") return 1;
  if (operand == "last") return names.last_bits;
  if (operand == "run_last") return names.run_bits;
  if (operand == "index" || operand == "dst" || operand == "src1" || operand == "src2") return 5;
  return operand == "value" && part != 0 ? part : 16;
}

/// Operations that the words of a machine of these names have.
std::vector<Operation> said_operations(const WordNames& names) {
  std::vector<Operation> said;
  for (const acg::OperationInfo& operation : acg::operations()) {
    const RandomUnit* unit = find_random_unit(operation.unit);
    if (unit == nullptr || (unit->is_said != nullptr && !unit->is_said(names, operation.operation))) continue;
    said.push_back(operation.operation);
  }
  return said;
}

class Words {
 public:
  /// `is_usual`: nothing is drawn of `shape`.
  Words(Draw& draw, Draw& shape, bool is_usual, const WordNames& names)
      : draw_(draw), shape_draw_(shape), is_usual_(is_usual), names_(names), operations_(said_operations(names)) {}

  RandomWords run() {
    RandomWords result;
    if (!is_usual_) draw_shape();
    // The longest word leaves seven bits; opcode and function together tell the words apart.
    prefix_ = static_cast<uint32_t>(draw_.between(6, 7));
    result.opcode_bits = static_cast<uint32_t>(draw_.between(4, prefix_));
    function_bits_ = prefix_ - result.opcode_bits;
    std::vector<uint32_t> codes(size_t{1} << prefix_);
    std::iota(codes.begin(), codes.end(), 0U);
    draw_.shuffle(codes);
    if (!is_usual_) draw_width();
    std::vector<std::string> lines;
    for (const Operation operation : operations_) {
      lines.push_back(mnemonic(word_of(operation, codes[static_cast<size_t>(operation)])));
    }
    draw_.shuffle(lines);
    for (const std::string& line : lines) result.text += line;
    result.word_bits = shape_.word_bits;
    const uint32_t table_bits = part_bits(shape_, Operation::kTable);
    result.table_words = (acg::kMostTableBytes * 8 + table_bits - 1) / table_bits;
    return result;
  }

 private:
  /// Two machines of three have words of 32 bits, two of three numbers in two parts.
  void draw_shape() {
    shape_.has_encodings = shape_draw_.once_in(3);
    const bool is_wide = shape_draw_.once_in(3);
    has_other_width_ = is_wide;
    if (!shape_draw_.once_in(3)) return;
    for (const RandomUnit* unit : random_units()) {
      for (const PartsOfANumber& number : unit->numbers) {
        if (shape_draw_.once_in(3)) continue;
        const auto bits = static_cast<uint32_t>(shape_draw_.between(4, is_wide ? 31 : 15));
        for (const Operation operation : number) shape_.part_bits[operation] = bits;
      }
    }
  }

  /// Draws any whole number of bytes that the longest word fits; short words are as frequent as long ones.
  void draw_width() {
    uint32_t longest = kUsualBits;
    for (const Operation one : operations_) {
      const acg::OperationInfo& operation = acg::info(one);
      uint32_t used = prefix_;
      for (const OperandInfo& operand : operation.operands) {
        if (is_carried(operation.operation, operand)) used += width_of(operation, operand);
      }
      longest = std::max(longest, used);
    }
    const int64_t least = (longest + 7) / 8;
    const int64_t most = acg::kMostWordBits / 8;
    const int64_t bytes =
        shape_draw_.once_in(2) ? shape_draw_.between(least, least + 8) : shape_draw_.between(least, most);
    shape_.word_bits = static_cast<uint32_t>(8 * (has_other_width_ ? std::min(bytes, most) : least));
  }

  std::vector<std::string> choices(const acg::OperationInfo& operation, const OperandInfo& operand) const {
    if (operand.kind == OperandKind::kEngine) return names_.engines;
    const RandomUnit& unit = *find_random_unit(operation.unit);
    if (unit.choices != nullptr) {
      if (auto names = unit.choices(names_, operation.operation, operand)) return *names;
    }
    if (operand.kind == OperandKind::kMemory) return names_.scratchpads;
    std::vector<std::string> all(operand.choices.begin(), operand.choices.end());
    if (operand.name == "half") all.resize(parts_of(shape_, operation.operation));
    return all;
  }

  /// Words name the high part that they set if there are several.
  bool is_carried(Operation operation, const OperandInfo& operand) const {
    return !operand.is_optional || parts_of(shape_, operation) > 2;
  }

  uint32_t width_of(const acg::OperationInfo& operation, const OperandInfo& operand) const {
    if (operand.name == "part") return bits_for(parts_of(shape_, operation.operation) - 1);
    if (operand.kind == OperandKind::kUnsigned || operand.kind == OperandKind::kSigned) {
      return number_bits(names_, shape_, operation, operand.name);
    }
    return bits_for(choices(operation, operand).size());
  }

  Field field_of(const acg::OperationInfo& operation, const OperandInfo& operand) {
    Field field;
    field.operand = std::string(operand.name);
    field.width = width_of(operation, operand);
    field.is_signed = operand.kind == OperandKind::kSigned;
    if (operand.kind == OperandKind::kUnsigned || field.is_signed) return field;
    field.values = choices(operation, operand);
    draw_.shuffle(field.values);
    return field;
  }

  /// Uses some of the remaining bits to make fields wider or to separate them.
  void use_up(std::vector<Field>& fields, uint32_t left) {
    // Past the usual width constants of any length put the fields anywhere.
    uint32_t spare = shape_.word_bits - std::min(shape_.word_bits, kUsualBits);
    spare = std::min(spare, left);
    left -= spare;
    while (left > 0 && !draw_.once_in(3)) {
      const auto width = static_cast<uint32_t>(draw_.between(1, std::min<uint32_t>(left, 4)));
      left -= width;
      Field& field = fields[static_cast<size_t>(draw_.between(0, static_cast<int64_t>(fields.size()) - 1))];
      if (may_grow(field) && field.width + width <= 24 && draw_.once_in(2)) {
        field.width += width;
      } else {
        fields.push_back({"", width, false, {}});
      }
    }
    draw_.shuffle(fields);
    while (spare > 0 && !shape_draw_.once_in(8)) {
      const auto width = static_cast<uint32_t>(shape_draw_.between(1, std::min<uint32_t>(spare, 32)));
      spare -= width;
      const int64_t at = shape_draw_.between(0, static_cast<int64_t>(fields.size()));
      Field field{"", width, false, {}};
      field.is_spare = true;
      fields.insert(fields.begin() + at, field);
    }
  }

  /// Numbers in parts of other than 16 bits keep their width, which defines the parts.
  bool may_grow(const Field& field) const {
    return !field.operand.empty() && (field.operand != "value" || field.width == 16 || field.width == 8);
  }

  Word word_of(Operation of, uint32_t code) {
    const acg::OperationInfo& operation = acg::info(of);
    Word word{of, code, {}, prefix_};
    for (const OperandInfo& operand : operation.operands) {
      if (!is_carried(of, operand)) continue;
      word.fields.push_back(field_of(operation, operand));
      word.used += word.fields.back().width;
    }
    check(word.used <= shape_.word_bits, fmt::format("{} does not fit a word", acg::qualified_name(of)));
    use_up(word.fields, shape_.word_bits - word.used);
    return word;
  }

  std::string mnemonic(const Word& word) {
    const acg::OperationInfo& operation = acg::info(word.does);
    const std::string name = fmt::format("{}_{}", name_of(operation.unit), operation.name);
    const std::string does = fmt::format(" does = {}; }}\n", acg::qualified_name(word.does));
    if (shape_.has_encodings) return fmt::format("  mnemonic {} {{{}{}", name, encoded(word), does);
    const uint32_t function = word.code & ((1U << function_bits_) - 1);
    std::string text = fmt::format("  mnemonic {}({}) {{", name, word.code >> function_bits_);
    if (function_bits_ > 0) text += fmt::format(" constant(\"FUNCTION\", {}, {});", function_bits_, function);
    for (const Field& field : word.fields) {
      text += field.operand.empty() ? fmt::format(" constant(\"BITS\", {}, {});", field.width, constant(field))
                                    : written(field, fmt::format("{}", field.width));
    }
    return text + does;
  }

  int64_t constant(const Field& field) {
    return (field.is_spare ? shape_draw_ : draw_).between(0, (int64_t{1} << field.width) - 1);
  }

  /// The word by its encoding: the bits that tell words apart have the same places in all of them; the others are
  /// anywhere, but a field keeps the order of its bits.
  std::string encoded(const Word& word) {
    const std::vector<uint32_t>& fixed = prefix_places();
    std::string bits(shape_.word_bits, ' ');
    for (uint32_t i = 0; i < prefix_; ++i) bits[fixed[i]] = (word.code >> i & 1U) != 0 ? '1' : '0';
    std::string owners;
    std::string fields;
    char letter = 'a';
    for (const Field& field : word.fields) {
      if (field.operand.empty()) {
        const int64_t value = constant(field);
        for (uint32_t i = 0; i < field.width; ++i) owners += (value >> i & 1) != 0 ? '1' : '0';
        continue;
      }
      owners += std::string(field.width, letter);
      fields += written(field, std::string(1, letter++));
    }
    owners += std::string(shape_.word_bits - prefix_ - owners.size(), '0');
    if (shape_draw_.once_in(2)) {
      std::vector<char> scattered(owners.begin(), owners.end());
      shape_draw_.shuffle(scattered);
      owners.assign(scattered.begin(), scattered.end());
    }
    auto next = owners.begin();
    for (char& bit : bits) {
      if (bit == ' ') bit = *next++;
    }
    return fmt::format(" encoding = \"{}\";{}", bits, fields);
  }

  /// Places of the bits of opcode and function in every encoding.
  const std::vector<uint32_t>& prefix_places() {
    if (!places_.empty()) return places_;
    places_.resize(shape_.word_bits);
    std::iota(places_.begin(), places_.end(), 0U);
    shape_draw_.shuffle(places_);
    places_.resize(prefix_);
    return places_;
  }

  /// `place`: its bits or its letter.
  static std::string written(const Field& field, const std::string& place) {
    if (field.values.empty()) {
      return fmt::format(" ifield(\"{0}\", {1}){2} = {0};", field.operand, place, field.is_signed ? " signed" : "");
    }
    return fmt::format(" efield(\"{0}\", {1}, [\"{2}\"]) = {0};", field.operand, place,
                       fmt::join(field.values, "\", \""));
  }

  Draw& draw_;
  Draw& shape_draw_;
  bool is_usual_;
  const WordNames& names_;
  std::vector<Operation> operations_;
  Shape shape_ = usual_shape();
  bool has_other_width_ = false;
  uint32_t prefix_ = 0;         ///< bits of opcode and function
  uint32_t function_bits_ = 0;  ///< bits of the function alone
  std::vector<uint32_t> places_;
};

}  // namespace

std::vector<std::string> element_types(const WordNames& names, const std::vector<std::string>& others) {
  std::vector<std::string> types{fmt::format("I{}", names.element_bits), fmt::format("U{}", names.element_bits)};
  types.insert(types.end(), others.begin(), others.end());
  return types;
}

RandomWords random_words(Draw& draw, Draw& shape, const WordNames& names) {
  return Words(draw, shape, false, names).run();
}

RandomWords random_words(Draw& draw, const WordNames& names) { return Words(draw, draw, true, names).run(); }

}  // namespace covenant::runtime
