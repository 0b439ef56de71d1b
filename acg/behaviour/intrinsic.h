/// Intrinsics: what a machine computes, as a pattern of tensor operations that compilers look for.
#pragma once

#include <string>

#include "acg/base/diagnostic.h"

namespace covenant::acg::behaviour {

/// `intrinsic linear : real { computes = "(bias_add (dense ?x ?w) ?b [1])"; where = "is_matrix(?x)"; }`
struct Intrinsic {
  std::string name;
  bool is_exact = false;  ///< all bits are those of the pattern; else they are near, in numerics of the machine
  std::string computes;   ///< a term of compiler/match/term.h
  std::string where_text;  ///< conditions, with commas between them; may be empty
  SourceLocation where;
};

}  // namespace covenant::acg::behaviour
