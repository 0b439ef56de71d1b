/// Builds Verilated modules as shared libraries, and keeps them in a cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "acg/base/result.h"

namespace covenant::rtl {

/// What a library is made of. Files are named from the folder in which it is built; the sources in C++ among them find
/// their includes there as in this repository.
struct Recipe {
  std::string name;                          ///< in the name of its folder
  std::map<std::string, std::string> files;  ///< RTL and C++
  std::string top;                           ///< module that is verilated, to the class V`top`
  std::vector<std::string> sources;          ///< arguments of Verilator: files, lists of files, options
  std::string flags;                         ///< of the C++ compiler
  bool quick = false;                        ///< built in a third of the time, runs at half the speed
  uint32_t jobs = 2;                         ///< compilers at a time
  std::function<void(const std::string& step, uint32_t done, uint32_t steps)> progress;
};

/// A library in memory, until nobody holds it any more.
struct BuiltLibrary {
  std::filesystem::path folder;
  double build_seconds = 0;  ///< 0 if it was in the cache
  std::shared_ptr<void> handle;
  void* symbol = nullptr;
};

/// Generates nothing: verilates and compiles, unless the cache has it, and looks up `symbol`. Two processes may do so
/// at once. Errors: RTL0010, RTL0011, RTL0012, RTL0015.
Result<BuiltLibrary> build_library(const Recipe& recipe, const std::filesystem::path& cache, const char* symbol);

}  // namespace covenant::rtl
