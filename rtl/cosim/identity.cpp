#include "rtl/cosim/identity.h"

#include <cstdint>
#include <fmt/format.h>
#include <fstream>

namespace covenant::rtl {
namespace {

uint64_t fnv(std::string_view text, uint64_t hash) {
  for (const char character : text) hash = (hash ^ static_cast<uint8_t>(character)) * 0x100000001b3ULL;
  return (hash ^ text.size()) * 0x100000001b3ULL;
}

}  // namespace

std::string content_hash(const std::map<std::string, std::string>& files, std::string_view options) {
  uint64_t low = 0xcbf29ce484222325ULL;
  uint64_t high = 0x84222325cbf29ce4ULL;
  low = fnv(options, low);
  high = fnv(options, high);
  for (const auto& [name, text] : files) {
    low = fnv(text, fnv(name, low));
    high = fnv(name, fnv(text, high));
  }
  return fmt::format("{:016x}{:016x}", high, low);
}

std::string processor() {
  std::ifstream input("/proc/cpuinfo");
  for (std::string line; std::getline(input, line);) {
    if (line.starts_with("flags") || line.starts_with("Features")) return line;
  }
  return {};
}

}  // namespace covenant::rtl
