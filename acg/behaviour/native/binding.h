/// Names of C++ for what expressions read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "acg/behaviour/behaviour.h"

namespace covenant::acg::behaviour::native {

/// C++ of a number of type int32_t or int64_t.
struct Text {
  std::string code;
  int bits = 64;
};

struct Scope;

/// C++ for what a slot stands for.
struct Binding {
  std::string name;                  ///< of the number, or of the array
  int bits = 64;                     ///< of a number
  std::string element;               ///< type of an array's elements
  size_t depth = 0;                  ///< loops within which it is declared
  const Expression* said = nullptr;  ///< what it is, where that can be said outside of these loops too
  const Scope* scope = nullptr;      ///< of `said`
  uint64_t size = 1;                 ///< operations of `said`, with those of what it names
};

/// Slots that are known where an expression stands.
struct Scope {
  std::map<uint32_t, Binding> names;
};

}  // namespace covenant::acg::behaviour::native
