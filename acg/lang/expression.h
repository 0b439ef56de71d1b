/// Words and expressions of an `.acg` text, before parameters have values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"

namespace covenant::acg::lang {

/// A word or a string of the text and its source location.
struct Word {
  std::string text;
  SourceLocation where;
};

enum class ExpressionKind : uint8_t {
  kInteger,
  kDecimal,
  kName,
  kNegate,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kPower,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kConditional,
  kCall
};

/// Integer arithmetic over parameters; a lone name may also stand for a word (`offchip`) or a node (`IBUF`). Decimals
/// are for energies.
struct Expression {
  ExpressionKind kind = ExpressionKind::kInteger;
  int64_t value = 0;                 ///< value of kInteger
  double decimal = 0;                ///< value of kDecimal
  std::string name;                  ///< name of kName; function of kCall; text of kDecimal
  std::vector<Expression> children;  ///< one for kNegate, three for kConditional, any number for kCall, two for others
  SourceLocation where;
};

}  // namespace covenant::acg::lang
