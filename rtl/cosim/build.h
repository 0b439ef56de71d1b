/// Builds Verilated modules as shared libraries and caches them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "rtl/cosim/build_progress.h"

namespace covenant::rtl {

/// The recipe of a library. Files are named from the folder in which it is built; the C++ sources among them include
/// headers by the same paths as in this repository.
struct Recipe {
  std::string name;                          ///< part of the name of its folder
  std::map<std::string, std::string> files;  ///< RTL and C++
  std::string top;                           ///< module that is verilated, to the class V`top`
  std::vector<std::string> sources;          ///< arguments of Verilator: files, lists of files, options
  std::string flags;                         ///< flags of the C++ compiler
  bool quick = false;                        ///< built in a third of the time, runs at half the speed
  uint32_t jobs = 2;                         ///< compilers at a time
  BuildProgress progress;
};

/// A loaded library, unloaded when its last user releases it.
struct BuiltLibrary {
  std::filesystem::path folder;
  double build_seconds = 0;  ///< 0 if it was in the cache
  std::shared_ptr<void> handle;
  void* symbol = nullptr;
};

/// Verilates and compiles the recipe, unless the cache has the result, and looks up `symbol`. Two processes may do so
/// at once: the second one waits for the first. Errors: RTL0010, RTL0011, RTL0012,
/// RTL0015, RTL0019.
Result<BuiltLibrary> build_library(const Recipe& recipe, const std::filesystem::path& cache, const char* symbol);

}  // namespace covenant::rtl
