/// Mnemonics: how a machine spells an operation in bits (section 2.1.4 and Figure 6 of the Covenant paper).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/isa/operation.h"

namespace covenant::acg {

/// ifield: a number. efield: one of `values`, encoded by its position. constant: bits that never change (`constant`).
/// fixed: no bits at all, its operand is always `constant`.
enum class FieldKind : uint8_t { kInteger, kEnumeration, kConstant, kFixed };

/// Where its bits are: fields of a word stated by its opcode follow the opcode from the most significant bit downwards,
/// and what they leave over is reserved and zero. Fields of a word stated by an encoding hold the bits of their letter.
struct Field {
  FieldKind kind = FieldKind::kInteger;
  std::string name;
  uint32_t width = 0;  ///< bits; of a letter: how often it stands in the encoding
  bool is_signed = false;
  std::string operand;  ///< operand of the operation that it carries; empty for constants
  uint64_t constant = 0;
  std::vector<std::string> values;  ///< of an efield
  std::string letter;               ///< of the encoding; empty if the field follows the one before it
  uint32_t scale = 1;               ///< operand = number in the bits * scale
  uint32_t top = 0;                 ///< what the highest bit stands for instead of its place times scale; 0: for that
  bool is_relative = false;         ///< counts from the address of the packet; text shows the address meant
  bool is_extendable = false;       ///< a constant extender may give the bits above the lowest six
  std::optional<uint32_t> reads;    ///< stage in which the instruction reads the register that it names
  std::optional<uint32_t> writes;   ///< stage in which its result is there
  bool operator==(const Field&) const = default;
};

/// Has it bits of its own that say what its operand is?
constexpr bool is_said(const Field& field) {
  return field.kind == FieldKind::kInteger || field.kind == FieldKind::kEnumeration;
}
/// Least and greatest operand value that a number field can carry.
int64_t lowest_value(const Field& field);
int64_t highest_value(const Field& field);
/// The operand value that these bits of a number field stand for.
int32_t value_of_bits(const Field& field, uint32_t bits);
/// The bits that carry a value; nothing if there are none. The inverse.
std::optional<uint32_t> bits_of_value(const Field& field, int64_t value);

struct Mnemonic {
  std::string name;
  uint32_t opcode = 0;
  Operation does = Operation::kBlockEnd;
  std::vector<Field> fields;
  /// The whole word, most significant bit first: 0 and 1 are constant, letters are bits of fields, the most
  /// significant bit of a field first. Empty: the word is stated by its opcode.
  std::string encoding;
  std::string syntax;           ///< assembly text with names of fields in it; empty: name and fields in order
  uint32_t slots = 0;           ///< a bit for each slot that may issue it; 0: all
  uint32_t blocks = 0;          ///< a bit for each other slot that must stay empty
  std::vector<uint32_t> pipes;  ///< alternatives, each a bit for every pipe that it occupies; empty: none
  uint32_t latency = 0;         ///< cycles; 0: as the page of its unit says
  SourceLocation where;

  bool operator==(const Mnemonic& other) const;  ///< ignores `where`
};

}  // namespace covenant::acg
