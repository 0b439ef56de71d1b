#include "rtl/gen/common/offchip_port.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace covenant::rtl {
namespace {

constexpr std::array<std::string_view, 7> kRead{"read_valid_o",   "read_address_o", "read_beats_o", "read_ready_i",
                                                "answer_valid_i", "answer_ready_o", "read_data_i"};
constexpr std::array<std::string_view, 10> kWrite{
    "write_burst_valid_o", "write_burst_address_o", "write_burst_beats_o", "write_ready_i", "written_i",
    "written_ready_o",     "write_valid_o",         "write_address_o",     "write_data_o",  "write_strobe_o"};

uint64_t bits_of(const OffchipPort& port, std::string_view name) {
  if (name.find("address") != name.npos) return 32;
  if (name.find("beats") != name.npos) return 5;
  if (name.find("data") != name.npos) return uint64_t{port.beat_bytes} * 8;
  return name.find("strobe") != name.npos ? port.beat_bytes : 1;
}

}  // namespace

uint32_t places_for(uint32_t latency) {
  constexpr uint32_t kLeast = 64;
  return std::bit_ceil(std::max(kLeast, 2 * (latency + 2)));
}

std::span<const std::string_view> port_signals(bool writes) {
  if (writes) return kWrite;
  return kRead;
}

std::string declare_port(const OffchipPort& port, const std::string& signal) {
  std::string text;
  for (const std::string_view name : port_signals(port.writes)) {
    const uint64_t bits = bits_of(port, name);
    text += fmt::format("  {} logic {}{}_{},\n", name.ends_with("_i") ? "input " : "output",
                        bits == 1 ? "" : fmt::format("[{}:0] ", bits - 1), signal, name);
  }
  return text;
}

}  // namespace covenant::rtl
