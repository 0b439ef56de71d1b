/// Prints codelets as text, the inverse of `parse.h`: `parse(print(c))` equals `c`. Printing is canonical.
#pragma once

#include <string>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// The whole codelet: two spaces of indentation per level, one statement per line.
std::string print(const Codelet& codelet);
/// `x=inp([1,8,8,3],u8,"DRAM",fill=3);`
std::string print(const Surrogate& surrogate);
/// `x[n, oh*2 + kh - 1]`
std::string print(const Reference& reference);
/// `i32(-4)`, `f32(0x1.8p-3)`
std::string print(const Constant& constant);

}  // namespace covenant::compiler::codelet
