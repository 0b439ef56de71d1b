#include "runtime/lockstep/random_machine.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <utility>

#include "acg/base/check.h"
#include "acg/lang/load.h"
#include "runtime/lockstep/draw.h"
#include "runtime/lockstep/random_words.h"

namespace covenant::runtime {
namespace {

constexpr int64_t kLeast = 2, kMost = 24;  // rows, columns, lanes

struct Sizes {
  int64_t rows, columns, lanes;
};

/// All triples that a compiler can work with: chunks of channels of array and lanes divide one another, and where the
/// lanes are fewer, a half or a quarter, so that addresses of the output memory can be as fine as they are.
std::vector<Sizes> all_sizes() {
  std::vector<Sizes> sizes;
  for (int64_t rows = kLeast; rows <= kMost; ++rows) {
    for (int64_t columns = kLeast; columns <= kMost; ++columns) {
      for (int64_t lanes = kLeast; lanes <= kMost; ++lanes) {
        if (rows == columns || rows == lanes || columns == lanes) continue;
        const bool is_multiple = lanes % columns == 0;
        const bool is_part = columns == 2 * lanes || columns == 4 * lanes;
        if (is_multiple || is_part) sizes.push_back({rows, columns, lanes});
      }
    }
  }
  return sizes;
}

std::vector<int64_t> divisors(int64_t value) {
  std::vector<int64_t> result;
  for (int64_t i = 1; i <= value; ++i) {
    if (value % i == 0) result.push_back(i);
  }
  return result;
}

/// Banks of a scratchpad, so that an address selects a divisor of `bytes`.
struct Shape {
  int64_t data_width, granularity, banks;
};

class Builder {
 public:
  Builder(uint64_t seed, uint64_t index)
      : draw_(seed, index),
        bus_draw_(seed + 0xB05E5ULL, index),
        has_buses_(bus_draw_.once_in(3)),
        sizes_(draw_.of(all_sizes())) {
    title_ = fmt::format("# Random machine {} of seed {}.\n", index, seed);
    optional();
  }

  std::string text() {
    std::vector<std::string> memories = memory_lines();
    draw_.shuffle(memories);
    std::vector<std::string> computes{array(), lanes()};
    draw_.shuffle(computes);
    std::vector<std::string> edges = edge_lines();
    const RandomWords words = random_words(draw_, {engines_, pads_, simd_});
    std::string result = title_ + "acg random {\n";
    result +=
        fmt::format("  clock = {} MHz;\n  word = 32;\n  opcode = {};\n", draw_.between(100, 2000), words.opcode_bits);
    for (const std::string& line : memories) result += line;
    for (const std::string& compute : computes) result += compute;
    for (const std::string& line : edges) result += line;
    return result + words.text + "}\n";
  }

 private:
  void optional() {
    has_third_ = draw_.once_in(4);
    has_second_store_ = !draw_.once_in(4);
    has_output_store_ = draw_.once_in(3);
  }

  int64_t bandwidth() {
    return 32 * draw_.of(std::vector<int64_t>{1, 2, 4, 8, 16, 1, 2, 4, 8, 16, 3, 5, 6, 7, 10, 12});
  }
  int64_t halves() { return draw_.once_in(4) ? draw_.between(1, 4) : 2; }

  /// Elements of `widths` bits; `bytes` are whole addresses.
  Shape shape(int64_t bytes, const std::vector<int64_t>& widths) {
    const int64_t width = draw_.of(widths);
    std::vector<Shape> all;
    for (const int64_t grain : {8, 16, 32}) {
      if (grain > width || bytes % (grain / 8) != 0) continue;
      for (const int64_t banks : divisors(bytes * 8 / grain)) all.push_back({width, grain, banks});
    }
    // As wide as the vector, or any divisor of it.
    return draw_.once_in(2) ? all[all.size() - 1] : draw_.of(all);
  }

  /// Addresses of whole elements, a divisor of `bytes`.
  Shape whole(int64_t bytes) {
    std::vector<Shape> all;
    for (const int64_t width : {8, 16, 32}) {
      if (bytes % (width / 8) != 0) continue;
      for (const int64_t banks : divisors(bytes * 8 / width)) all.push_back({width, width, banks});
    }
    return draw_.once_in(2) ? Shape{8, 8, bytes} : draw_.of(all);
  }

  std::string pad(const std::string& name, const Shape& of, int64_t bytes) {
    pads_.push_back(name);
    const int64_t element = of.data_width * of.banks / 8;
    const int64_t depth = std::max<int64_t>(3, bytes / element);
    return fmt::format(
        "  memory {} {{ data_width = {}; banks = {}; depth = {}; buffers = {};{} }}\n", name, of.data_width, of.banks,
        depth % 2 != 0 ? depth : depth + 1, halves(),
        of.granularity == of.data_width ? std::string() : fmt::format(" granularity = {};", of.granularity));
  }

  std::vector<std::string> memory_lines() {
    const auto [rows, columns, lanes] = sizes_;
    std::vector<std::string> lines;
    lines.push_back(
        fmt::format("  memory DRAM {{ kind = offchip; data_width = 8; banks = 1; depth = 4G; latency = {}; }}\n",
                    draw_.between(1, 60)));
    lines.push_back(
        fmt::format("  memory IMEM {{ kind = instruction; data_width = 32; banks = 1; depth = {}; buffers = 2; }}\n",
                    draw_.odd(401, 1023)));
    lines.push_back("  memory IMM { kind = immediate; data_width = 32; banks = 1; depth = 32; }\n");
    lines.push_back(pad("IBUF", whole(rows), rows * draw_.between(60, 900)));
    lines.push_back(pad("WBUF", draw_.once_in(3) ? shape(rows * columns, {8}) : Shape{8, 8, rows * columns},
                        rows * columns * draw_.between(17, 150)));
    lines.push_back(pad("BBUF", {32, 32, columns}, 4 * columns * draw_.between(2, 60)));
    // Addresses of the output memory as fine as the lanes need them.
    const int64_t grain = columns == 4 * lanes ? 8 : columns == 2 * lanes ? 16 : 32;
    lines.push_back(pad("OBUF", {32, grain, columns}, 4 * columns * draw_.between(50, 400)));
    simd_ = {"OBUF", "IMM"};
    for (int i = 1; i <= (has_third_ ? 3 : 2); ++i) {
      const std::string name = fmt::format("VMEM{}", i);
      lines.push_back(pad(name, shape(lanes, {8, 16, 32, 32}), 4 * lanes * draw_.between(60, 500)));
      simd_.push_back(name);
    }
    return lines;
  }

  std::string array() const {
    return fmt::format(R"(  compute SA {{
    unit = systolic_array; rows = {0}; columns = {1};
    input = IBUF; weight = WBUF; bias = BBUF; output = OBUF;
    (i32,{1}) = GEMM((i8,{0}),(i8,{0},{1}),(i32,{1}));
    (i32,{1}) = GEMM((u8,{0}),(i8,{0},{1}),(i32,{1}));
  }}
)",
                       sizes_.rows, sizes_.columns);
  }

  std::string lanes() {
    std::vector<std::string> lines;
    const auto ability = [&](std::string_view output, std::string_view name, const std::vector<std::string>& inputs) {
      std::string text = fmt::format("    ({},{}) = {}(", output, sizes_.lanes, name);
      for (size_t i = 0; i < inputs.size(); ++i) text += (i > 0 ? "," : "") + inputs[i];
      lines.push_back(text + fmt::format(") {{ latency = {}; }}\n", draw_.between(1, 9)));
    };
    const auto vector = [&](std::string_view type) { return fmt::format("({},{})", type, sizes_.lanes); };
    for (const std::string_view name : {"ADD", "SUB", "MUL", "MAX", "MIN"}) {
      ability("i32", name, {vector("i32"), vector("i32")});
    }
    ability("i32", "ADD", {vector("i32"), "(i32,1)"});
    ability("i32", "MOVE", {vector("i32")});
    for (const std::string_view type : {"i8", "u8"}) {
      ability(type, "MAX", {vector(type), "(i32,1)"});
      ability(type, "MIN", {vector(type), "(i32,1)"});
      ability(type, "REDUCE_MAX", {vector(type)});
      ability("i32", "REDUCE_SUM", {vector(type)});
      ability(type, "REQUANT", {vector("i32"), vector("f32")});
      ability(type, "REQUANT", {vector("i32"), "(f32,1)"});
      ability(type, "REQUANT_ADD", {vector(type), vector(type), "(f32,1)", "(f32,1)", "(f32,1)"});
    }
    draw_.shuffle(lines);
    std::string text = fmt::format("  compute SIMD {{\n    unit = simd_array; lanes = {};\n", sizes_.lanes);
    for (const std::string& line : lines) text += line;
    return text + "  }\n";
  }

  std::vector<std::string> edge_lines() {
    std::vector<std::string> lines;
    const auto offchip = [&](const std::string& from, const std::string& to) {
      const std::string bus = to == "IMEM" ? "" : shared_bus();
      lines.push_back(fmt::format("  edge {} -> {} {{ bandwidth = {};{} }}\n", from, to, bandwidth(), bus));
      if (to != "IMEM") engines_.push_back(from + "->" + to);
    };
    engines_ = {"SA", "SIMD"};
    for (const char* to : {"IMEM", "IBUF", "WBUF", "BBUF", "VMEM1", "VMEM2"}) offchip("DRAM", to);
    offchip("VMEM1", "DRAM");
    if (has_second_store_) offchip("VMEM2", "DRAM");
    if (has_output_store_) offchip("OBUF", "DRAM");
    if (has_third_) offchip("DRAM", "VMEM3");
    for (const char* from : {"IBUF", "WBUF", "BBUF"}) lines.push_back(fmt::format("  edge {} -> SA;\n", from));
    lines.emplace_back("  edge SA -> OBUF;\n");
    for (const std::string& from : simd_) lines.push_back(fmt::format("  edge {} -> SIMD;\n", from));
    for (const std::string& to : simd_) {
      if (to.starts_with("VMEM")) lines.push_back(fmt::format("  edge SIMD -> {};\n", to));
    }
    draw_.shuffle(lines);
    return lines;
  }

  /// Of a machine with buses, most edges share one of two.
  std::string shared_bus() {
    static const std::vector<std::string> kBuses{"", " bus = LEFT;", " bus = LEFT;", " bus = RIGHT;"};
    return has_buses_ ? bus_draw_.of(kBuses) : "";
  }

  Draw draw_;
  Draw bus_draw_;  ///< its own: machines without buses are what they would be
  bool has_buses_;
  Sizes sizes_;
  std::string title_;
  bool has_third_ = false;         ///< a third vector memory, loaded but not stored
  bool has_second_store_ = true;   ///< VMEM2 -> DRAM
  bool has_output_store_ = false;  ///< OBUF -> DRAM
  std::vector<std::string> engines_, pads_, simd_;
};

}  // namespace

RandomMachine random_machine(uint64_t seed, uint64_t index) {
  RandomMachine result;
  result.text = Builder(seed, index).text();
  Result<acg::Machine> machine = acg::parse_machine(result.text, fmt::format("random-{}-{}.acg", seed, index));
  check(static_cast<bool>(machine), machine ? "" : "a random machine is refused: " + render(machine.error()));
  result.machine = std::move(*machine);
  return result;
}

}  // namespace covenant::runtime
