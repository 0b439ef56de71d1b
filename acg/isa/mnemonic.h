/// Mnemonics: how a machine spells an operation in bits (section 2.1.4 and Figure 6 of the Covenant paper).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/isa/operation.h"

namespace covenant::acg {

/// ifield: a number. efield: one of `values`, encoded by its position. constant: bits that never change (`value`).
enum class FieldKind : uint8_t { kInteger, kEnumeration, kConstant };

/// Fields follow the opcode from the most significant bit downwards; what they leave over is reserved and zero.
struct Field {
  FieldKind kind = FieldKind::kInteger;
  std::string name;
  uint32_t width = 0;  ///< bits
  bool is_signed = false;
  std::string operand;  ///< operand of the operation that it carries; empty for constants
  uint64_t constant = 0;
  std::vector<std::string> values;  ///< of an efield
  bool operator==(const Field&) const = default;
};

struct Mnemonic {
  std::string name;
  uint32_t opcode = 0;
  Operation does = Operation::kBlockEnd;
  std::vector<Field> fields;
  SourceLocation where;

  bool operator==(const Mnemonic& other) const {
    return name == other.name && opcode == other.opcode && does == other.does && fields == other.fields;
  }
};

}  // namespace covenant::acg
