/// Tools that Verilated models are built with, as PATH has them.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "acg/base/result.h"

namespace covenant::rtl {

/// Tools on which the result of a build depends.
struct Tools {
  std::string verilator;         ///< first line of its version output
  std::string compiler;          ///< program of the C++ compiler
  std::string compiler_version;  ///< first line of its version output
};

/// A C++ compiler.
struct Compiler {
  std::string program;
  std::string version;  ///< first line of its version output
};

/// The first of these compilers that is there.
std::optional<Compiler> find_compiler(std::initializer_list<const char*> programs);

/// Errors: RTL0010, one of them is missing.
Result<Tools> find_tools();

/// Errors: RTL0010, there is no Make.
Status check_make();

/// The program through which compilers are called, so that equal sources are compiled once. Empty: there is none, or it
/// does not work here, for example in a home that cannot be written.
std::string find_compiler_cache(const std::string& compiler);

}  // namespace covenant::rtl
