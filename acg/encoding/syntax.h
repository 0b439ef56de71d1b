/// Writes and reads assembly text in the syntax of a mnemonic, such as `Vx.w += vrmpy(Vu.ub,Rt.b)`: names of fields
/// stand for operands.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/encoding/mnemonic.h"

namespace covenant::acg {

/// A piece of a syntax: literal text, or the place of a field.
struct SyntaxPiece {
  std::string literal;
  std::optional<size_t> field;  ///< index into Mnemonic::fields
  bool operator==(const SyntaxPiece&) const = default;
};

/// Splits a syntax at the names of fields. A name counts only where it stands as a word of its own (letters and
/// digits).
std::vector<SyntaxPiece> syntax_pieces(const Mnemonic& mnemonic);

/// The context of a text.
struct TextPlace {
  uint32_t address = 0;       ///< byte address of its packet
  bool is_extended = false;   ///< an extender precedes it: its number is written after ##
  std::string produced = {};  ///< register that a field of kind `produced` refers to; empty: the number itself, as `n3`
};

/// The text of one operand: `r3`, `r3:2`, `v3`, `v3:2`, `p1`, `q1`, `m0`, a name, a decimal number, an address as 0x...
std::string operand_text(const Field& field, const OperandInfo& operand, int32_t value, const TextPlace& place);

/// The text of an instruction in the syntax of its mnemonic; `values` has one value per field.
std::string syntax_text(const Mnemonic& mnemonic, const std::vector<SyntaxPiece>& pieces,
                        const std::vector<int32_t>& values, const TextPlace& place);

struct SyntaxMatch {
  std::vector<int32_t> values;  ///< one per field
  bool is_extended = false;
  std::string produced;  ///< register written for a field of kind `produced`; empty if it was written as a number
};
/// The field values with which the syntax gives `text`, spaces ignored; nothing if there are none.
std::optional<SyntaxMatch> match_syntax(const Mnemonic& mnemonic, const std::vector<SyntaxPiece>& pieces,
                                        std::string_view text, const TextPlace& place);

}  // namespace covenant::acg
