// std::source_location for compilers that have <source_location> of libstdc++ but not its builtin (Clang 14). Included
// first, in the fuzzing build only.
#pragma once

#include <version>

#if defined(__clang__) && !__has_builtin(__builtin_source_location)
#include <cstdint>

namespace std {

struct source_location {
  static constexpr source_location current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    source_location here;
    here.file_ = file;
    here.line_ = static_cast<uint_least32_t>(line);
    return here;
  }
  constexpr const char* file_name() const { return file_; }
  constexpr uint_least32_t line() const { return line_; }

 private:
  const char* file_ = "";
  uint_least32_t line_ = 0;
};

}  // namespace std
#endif
