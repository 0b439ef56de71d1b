/// Words that begin the statements of a behaviour, for the reader of machines, which passes over them.
#pragma once

#include <string_view>

#include "acg/lang/lexer.h"

namespace covenant::acg::lang {

/// Whether a statement of a behaviour begins here. A `port` outside of a node is one.
inline bool starts_behaviour(const LexedToken& token) {
  constexpr std::string_view kWords[] = {"port",  "stream",   "record",      "format",  "state",     "table",
                                         "queue", "function", "instruction", "process", "interrupt", "update",
                                         "intrinsic"};
  if (token.kind != TokenKind::kWord) return false;
  for (const std::string_view word : kWords) {
    if (token.text == word) return true;
  }
  return false;
}

}  // namespace covenant::acg::lang
