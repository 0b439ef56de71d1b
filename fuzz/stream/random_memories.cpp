#include "fuzz/stream/random_memories.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>

#include "fuzz/stream/random_shapes.h"

namespace covenant::runtime {
namespace {

/// Nodes of random machines (random_machine.cpp), in any order.
const std::vector<std::string>& node_names() {
  static const std::vector<std::string> names{"DRAM",  "IMEM",  "IMM",   "IBUF",  "WBUF",  "BBUF",  "OBUF",  "VMEM1",
                                              "VMEM2", "VMEM3", "VMEM4", "VMEM5", "IBUF2", "WBUF2", "BBUF2", "OBUF2",
                                              "SA",    "SIMD",  "SA2",   "SIMD2", "L2",    "SPARE", "FLASH", "ROM"};
  return names;
}

/// Words of SystemVerilog, C++ and of the RTL itself, and spellings that other languages forbid or take for one
/// another.
const std::vector<std::string>& hard_names() {
  static const std::vector<std::string> names{
      "FETCH",
      "STATUS",
      "CHANNEL",
      "FILL",
      "DRAM_to_IBUF",
      "logic",
      "module",
      "Module",
      "begin",
      "end_",
      "_start",
      "a__b",
      "__x",
      "y_",
      "clk_i",
      "rst_ni",
      "command",
      "class",
      "this",
      "template",
      "new",
      "operator",
      "Mem",
      "mem",
      "MEM",
      "mEm",
      "blocks",
      "A_very_long_name_of_a_node_that_goes_on_and_on_until_nobody_knows_any_more_how_it_began_or_what_it_was_for",
      "unique",
      "bit",
      "int",
      "input_",
      "output_",
      "wire",
      "u_fetch",
      "top",
      "covenant_top",
      "default_",
      "case_x",
      "Q",
      "q",
      "x1",
      "X1",
      "BUS_LEFT",
      "bus_left"};
  return names;
}

}  // namespace

RandomMemories::RandomMemories(uint64_t seed, uint64_t index)
    : level_draw_(seed + 0x12E7E1ULL, index),
      latency_draw_(seed + 0x1A7EULL, index),
      sizes_draw_(seed + 0x512E5ULL, index),
      spare_draw_(seed + 0x5BA2EULL, index),
      names_draw_(seed + 0x4A3E5ULL, index),
      sums_draw_(seed + 0x5035ULL, index),
      apart_draw_(seed + 0xF1A5ULL, index),
      has_level_(level_draw_.once_in(4)),
      has_latencies_(latency_draw_.once_in(4)),
      has_sizes_(sizes_draw_.once_in(4)),
      has_spare_(spare_draw_.once_in(5)),
      has_names_(names_draw_.once_in(4)),
      has_sums_(sums_draw_.once_in(3)) {
  if (!apart_draw_.once_in(4)) return;
  has_weights_apart_ = !apart_draw_.once_in(3);
  has_biases_apart_ = has_weights_apart_ && apart_draw_.once_in(2);
  if (has_weights_apart_ && apart_draw_.once_in(2)) return;
  words_ = has_weights_apart_ && apart_draw_.once_in(2) ? "FLASH" : "ROM";
}

std::string RandomMemories::channels(bool is_addressed_by_lanes) {
  if (!has_sizes_ || sizes_draw_.once_in(2)) return "";
  const auto bits = static_cast<uint32_t>(sizes_draw_.between(2, is_addressed_by_lanes ? 3 : 5));
  slot_bits_ = std::max(slot_bits_, bits);
  return fmt::format(" channels = {};", 1U << bits);
}

int64_t RandomMemories::buffers(int64_t otherwise) {
  return has_sizes_ && sizes_draw_.once_in(3) ? sizes_draw_.between(1, 16) : otherwise;
}

std::optional<Shape> RandomMemories::sums(int64_t bytes, bool is_needed) {
  if (!is_needed && (!has_sums_ || sums_draw_.once_in(3))) return std::nullopt;
  return sums_shape(sums_draw_, bytes);
}

bool RandomMemories::is_shared() { return sums_draw_.once_in(3); }

std::string RandomMemories::latency() {
  if (!has_latencies_ || latency_draw_.once_in(3)) return "";
  return fmt::format(" latency = {};", latency_draw_.between(1, 30));
}

std::string RandomMemories::source_of(const std::string& to) {
  if (to == "IMEM") return words_;
  if (to.starts_with("WBUF") && has_weights_apart_) return "FLASH";
  return to.starts_with("BBUF") && has_biases_apart_ ? "FLASH" : "DRAM";
}

void RandomMemories::add_apart(std::vector<std::string>& lines) {
  const auto add = [&](const char* name) {
    const int64_t at = apart_draw_.between(0, static_cast<int64_t>(lines.size()));
    const int64_t latency = apart_draw_.between(1, 60);
    lines.insert(lines.begin() + at,
                 fmt::format("  memory {} {{ kind = offchip; data_width = 8; banks = 1; depth = 4G; latency = {}; }}\n",
                             name, latency));
  };
  if (has_weights_apart_) add("FLASH");
  if (words_ == "ROM") add("ROM");
}

std::pair<std::string, std::string> RandomMemories::way(const std::string& from, const std::string& to) {
  if (from == "DRAM" && source_of(to) != from) return {source_of(to), to};
  const bool is_word = from == "IMEM" || to == "IMEM";
  if (!has_level_ || is_word || level_draw_.once_in(3)) return {from, to};
  const bool is_load = from == "DRAM";
  (is_load ? fills_level_ : empties_level_) = true;
  return is_load ? std::pair{std::string("L2"), to} : std::pair{from, std::string("L2")};
}

void RandomMemories::add_level(std::vector<std::string>& lines, std::vector<std::string>& scratchpads,
                               int64_t element_bits) {
  if (!has_level_) return;
  const int64_t width = level_draw_.of(std::vector<int64_t>{8, 16, 32});
  const int64_t banks = level_draw_.between(1, 24);
  const int64_t bytes = level_draw_.between(20'000, 200'000);
  lines.push_back(fmt::format(
      "  memory L2 {{ data_width = {}; banks = {}; depth = {}; buffers = {}; channels = 8; }}\n", width, banks,
      whole_depth(bytes * 8 / (width * banks), width * banks, element_bits), level_draw_.between(1, 3)));
  slot_bits_ = std::max(slot_bits_, 3U);
  scratchpads.emplace_back("L2");
}

void RandomMemories::add_spare(std::vector<std::string>& lines, std::vector<std::string>& scratchpads,
                               int64_t element_bits) {
  if (!has_spare_) return;
  const int64_t width = spare_draw_.of(std::vector<int64_t>{8, 16, 32});
  const int64_t banks = spare_draw_.between(1, 20);
  const int64_t depth = spare_draw_.between(1, 99);
  lines.push_back(fmt::format("  memory SPARE {{ data_width = {}; banks = {}; depth = {}; buffers = {}; }}\n", width,
                              banks, whole_depth(depth, width * banks, element_bits), spare_draw_.between(1, 3)));
  scratchpads.emplace_back("SPARE");
}

std::vector<std::string> RandomMemories::edges(std::vector<std::string>& engines) {
  std::vector<std::string> lines;
  const auto add = [&](Draw& draw, const std::string& from, const std::string& to) {
    engines.push_back(from + "->" + to);
    lines.push_back(
        fmt::format("  edge {} -> {} {{ bandwidth = {};{} }}\n", from, to, 8 * draw.between(1, 64), latency()));
  };
  if (fills_level_ || (has_level_ && !empties_level_)) add(level_draw_, "DRAM", "L2");
  if (empties_level_) add(level_draw_, "L2", "DRAM");
  if (has_spare_) {
    const bool is_filled = spare_draw_.once_in(2);
    if (is_filled) add(spare_draw_, "DRAM", "SPARE");
    if (!is_filled || spare_draw_.once_in(2)) add(spare_draw_, "SPARE", "DRAM");
  }
  return lines;
}

std::string RandomMemories::renamed(const std::string& text) {
  if (!has_names_) return text;
  std::vector<std::string> names = hard_names();
  names_draw_.shuffle(names);
  std::map<std::string, std::string> by_node;
  for (size_t i = 0; i < node_names().size(); ++i) by_node[node_names()[i]] = names[i];
  std::string result;
  std::string word;
  for (const char character : text) {
    if (std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_') {
      word += character;
      continue;
    }
    const auto known = by_node.find(word);
    result += known == by_node.end() ? word : known->second;
    result += character;
    word.clear();
  }
  return result + word;
}

}  // namespace covenant::runtime
