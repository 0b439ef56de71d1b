#include "rtl/gen/self_test.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/base/check.h"
#include "rtl/gen/source_texts.h"

namespace covenant::rtl {
namespace {

/// Lines of 32 bytes, those that are all 0 left out.
std::string hex_image(const std::vector<uint8_t>& bytes) {
  constexpr size_t kLine = 32;
  std::string text;
  size_t next = bytes.size();  // address after the last line written
  for (size_t at = 0; at < bytes.size(); at += kLine) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(kLine, bytes.size() - at));
    if (std::all_of(begin, end, [](uint8_t byte) { return byte == 0; })) continue;
    if (next != at) text += fmt::format("@{:x}\n", at);
    for (auto byte = begin; byte != end; ++byte) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      text += {kDigits[*byte >> 4U], kDigits[*byte & 15U], byte + 1 == end ? '\n' : ' '};
    }
    next = at + static_cast<size_t>(end - begin);
  }
  return text;
}

}  // namespace

std::map<std::string, std::string> self_test_files(const SelfTest& test) {
  check(test.before.size() == test.after.size(), "images of different lengths");
  std::map<std::string, std::string> files;
  for (const SourceText& source : test_texts()) files[std::string(source.name)] = source.text;
  files["test/before.hex"] = hex_image(test.before);
  files["test/after.hex"] = hex_image(test.after);
  std::string memories;
  for (const acg::MemoryRange& range : test.memories) {
    memories += fmt::format("memory {} {} {}\n", range.memory.value, range.first, range.bytes);
  }
  files["test/run.txt"] =
      fmt::format("name {}\nentry {}\nbytes {}\ncycles {}\n", test.name, test.entry, test.before.size(), test.cycles) +
      memories;
  return files;
}

}  // namespace covenant::rtl
