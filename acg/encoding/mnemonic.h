/// Mnemonics: how a machine encodes an operation in bits (section 2.1.4 and Figure 6 of the Covenant paper).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/operations/operation.h"

namespace covenant::acg {

/// ifield: a number. efield: one of `values`, encoded by its position. constant: bits that never change (`constant`).
/// fixed: takes no bits; its operand is always `constant`.
enum class FieldKind : uint8_t { kInteger, kEnumeration, kConstant, kFixed };

/// A field of a mnemonic. If the word is defined by an opcode, its fields follow the opcode from the most significant
/// bit downwards, and the bits left over are reserved and zero. If it is defined by an encoding, a field takes the bits
/// of its letter.
struct Field {
  FieldKind kind = FieldKind::kInteger;
  std::string name;
  uint32_t width = 0;  ///< bits; for a letter, how often it occurs in the encoding
  bool is_signed = false;
  std::string operand;  ///< operand of the operation that it carries; empty for constants
  uint64_t constant = 0;
  std::vector<std::string> values;  ///< names of an efield, in the order of their codes
  std::string letter;               ///< letter in the encoding; empty if the field follows the one before it
  uint32_t scale = 1;               ///< operand = number in the bits * scale
  uint32_t top = 0;                 ///< value of the highest bit, instead of its place value times scale; 0: the usual
                                    ///< value
  bool is_relative = false;         ///< relative to the address of the packet; text shows the absolute address
  bool is_extendable = false;       ///< a constant extender may give the bits above the lowest six
  std::optional<uint32_t> reads;    ///< stage in which the instruction reads the register in this field
  std::optional<uint32_t> writes;   ///< stage in which the instruction's result is available in that register
  bool operator==(const Field&) const = default;
};

/// Low bits of an extended number, which its own field holds.
inline constexpr uint32_t kExtendedBits = 63;

/// True if bits of the field give its operand, so that it is not constant or fixed.
constexpr bool is_said(const Field& field) {
  return field.kind == FieldKind::kInteger || field.kind == FieldKind::kEnumeration;
}
/// Lowest and highest operand value that a number field can carry.
int64_t lowest_value(const Field& field);
int64_t highest_value(const Field& field);
/// The operand value that `bits` encode in a number field.
int32_t value_of_bits(const Field& field, uint32_t bits);
/// The inverse: the bits that encode a value. Nothing if the field cannot carry it.
std::optional<uint32_t> bits_of_value(const Field& field, int64_t value);

struct Mnemonic {
  std::string name;
  uint32_t opcode = 0;
  Operation does = Operation::kBlockEnd;
  std::vector<Field> fields;
  /// The whole word, most significant bit first: 0 and 1 are constant, letters are bits of fields, the most significant
  /// bit of a field first. Empty if the word is defined by its opcode.
  std::string encoding;
  std::string syntax;           ///< assembly text that contains names of fields; empty: name and fields in order
  uint32_t slots = 0;           ///< one bit for each slot that may issue it; 0: all
  uint32_t blocks = 0;          ///< one bit for each other slot that must stay empty
  std::vector<uint32_t> pipes;  ///< alternatives, each with one bit for every pipe that it occupies; empty: none
  uint32_t latency = 0;         ///< cycles; 0: as stated on the page of its unit
  SourceLocation where;

  bool operator==(const Mnemonic& other) const;  ///< ignores `where`
};

}  // namespace covenant::acg
