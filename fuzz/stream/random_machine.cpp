#include "fuzz/random_machine.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "acg/base/check.h"
#include "acg/lang/load.h"
#include "fuzz/draw.h"
#include "fuzz/random_words.h"
#include "fuzz/stream/random_memories.h"
#include "fuzz/stream/random_shapes.h"
#include "fuzz/stream/random_sizes.h"
#include "fuzz/units/simd_array.h"
#include "fuzz/units/systolic_array.h"

namespace covenant::runtime {
namespace {

constexpr int64_t kLeastRunBits = 10;  // a run fills an address: of the weights 24 * 24 elements, at most

/// A buffer of a scratchpad. Made in braces, whose draws come in the order in which they are written.
struct Buffer {
  int64_t bytes;
  Shape shape;
};

int64_t bandwidth(Draw& draw) {
  return 32 * draw.of(std::vector<int64_t>{1, 2, 4, 8, 16, 1, 2, 4, 8, 16, 3, 5, 6, 7, 10, 12});
}

int64_t buffers(Draw& draw) { return draw.once_in(4) ? draw.between(1, 4) : 2; }

class Builder {
 public:
  Builder(uint64_t seed, uint64_t index, bool may_lack)
      : draw_(seed, index),
        bus_draw_(seed + 0xB05E5ULL, index),
        second_draw_(seed + 0x5EC0DULL, index),
        fields_draw_(seed + 0xF1E1DULL, index),
        words_draw_(seed + 0x30BD5ULL, index),
        memories_(seed, index),
        has_buses_(bus_draw_.once_in(3)),
        second_(second_draw_.of(seconds())),
        sizes_(draw_.of(all_sizes())) {
    Draw lanes_draw(seed + 0x1A4E5ULL, index);  // its own: the others are what they would be
    if (lanes_draw.once_in(3)) sizes_.lanes = lanes_draw.of(other_lanes(sizes_));
    // Its own, too. Vectors of 4-bit elements are whole bytes.
    Draw elements_draw(seed + 0xE1E3ULL, index);
    if (elements_draw.once_in(2)) element_bits_ = elements_draw.of(std::vector<int64_t>{4, 4, 4, 16});
    const bool is_odd = sizes_.rows % 2 != 0 || sizes_.columns % 2 != 0 || sizes_.lanes % 2 != 0;
    if (element_bits_ == 4 && is_odd) element_bits_ = 16;
    if (Draw sums(seed + 0x5035ULL, index); sums.once_in(2)) accumulator_bits_ = sums.between(16, 32);
    saturates_ = Draw(seed + 0x5A7ULL, index).once_in(4);
    in_fixed_point_ = may_lack && Draw(seed + 0xF1CEDULL, index).once_in(3);
    half_away_ = in_fixed_point_ && Draw(seed + 0x7F117EULL, index).once_in(2);
    lacks_abilities_ = may_lack && Draw(seed + 0x1AC5ULL, index).once_in(8);
    title_ = fmt::format("# Random machine {} of seed {}.\n", index, seed);
    optional();
  }

  std::string text() {
    std::vector<std::string> memories = memory_lines();
    draw_.shuffle(memories);
    memories_.add_level(memories, pads_, element_bits_);
    memories_.add_spare(memories, pads_, element_bits_);
    memories_.add_apart(memories);
    Draw lacking_draw = draw_;
    abilities_ = units::lane_abilities(draw_, drawn_lanes());
    if (lacks_abilities_) abilities_ = units::lane_abilities(lacking_draw, drawn_lanes(), 16);
    std::vector<std::string> computes{units::array_text("SA", drawn_array(), {"IBUF", "WBUF", "BBUF", "OBUF"}),
                                      units::lanes_text("SIMD", drawn_lanes(), abilities_)};
    draw_.shuffle(computes);
    std::vector<std::string> edges = edge_lines();
    if (second_ == Second::kArray) add_array(memories, computes, edges);
    if (second_ == Second::kLanes) add_lanes(memories, computes, edges);
    for (const std::string& line : memories_.edges(engines_)) edges.push_back(line);
    WordNames names{engines_, pads_, simd_};
    if (fields_draw_.once_in(3)) names.last_bits = static_cast<uint32_t>(fields_draw_.between(4, 15));
    if (fields_draw_.once_in(3)) {
      names.run_bits =
          static_cast<uint32_t>(fields_draw_.between(element_bits_ > 8 ? kLeastRunBits + 1 : kLeastRunBits, 15));
    }
    names.slot_bits = memories_.slot_bits();
    names.element_bits = static_cast<uint32_t>(element_bits_);
    names.in_fixed_point = in_fixed_point_;
    const RandomWords words = random_words(draw_, words_draw_, names);
    std::string result = title_ + fmt::format("acg random {{\n  param word_bits = {};\n  param table_words = {};\n",
                                              words.word_bits, words.table_words);
    result += fmt::format("  clock = {} MHz;\n  word = word_bits;\n  opcode = {};\n", draw_.between(100, 2000),
                          words.opcode_bits);
    for (const std::string& line : memories) result += line;
    for (const std::string& compute : computes) result += compute;
    for (const std::string& line : edges) result += line;
    return memories_.renamed(result + words.text + "}\n");
  }

 private:
  void optional() {
    has_third_ = draw_.once_in(4);
    has_second_store_ = !draw_.once_in(4);
    has_output_store_ = draw_.once_in(3);
  }

  std::string pad(Draw& draw, const std::string& name, const Buffer& buffer) {
    pads_.push_back(name);
    const Shape& of = buffer.shape;
    const int64_t row_bits = of.data_width * of.banks;
    const int64_t odd_depth = std::max<int64_t>(3, buffer.bytes * 8 / row_bits) | 1;
    const int64_t depth = whole_depth(odd_depth, row_bits, element_bits_);
    return fmt::format("  memory {} {{ data_width = {}; banks = {}; depth = {}; buffers = {};{}{} }}\n", name,
                       of.data_width, of.banks, depth, memories_.buffers(buffers(draw)),
                       of.granularity == of.data_width ? "" : fmt::format(" granularity = {};", of.granularity),
                       memories_.channels(name.starts_with("VMEM") || name.starts_with("OBUF")));
  }

  /// A bias memory, with room for at least a chunk of channels, without which no layer fits.
  Buffer biases(Draw& draw) {
    const int64_t chunk = std::lcm(sizes_.columns, sizes_.lanes);
    const int64_t bytes = 4 * std::max(sizes_.columns * draw.between(2, 60), chunk);
    return {bytes, memories_.sums(4 * sizes_.columns, false).value_or(Shape{32, 32, sizes_.columns})};
  }

  /// An output memory, whose addresses are as fine as the lanes require.
  Buffer outputs(Draw& draw) {
    const auto [rows, columns, lanes] = sizes_;
    const int64_t grain = lanes % columns == 0 ? 32 : 2 * lanes % columns == 0 ? 16 : 8;
    const int64_t bytes = 4 * columns * draw.between(50, 400);
    const bool is_ordinary = 4 * lanes % columns == 0;
    const std::optional<Shape> other = memories_.sums(4 * std::gcd(columns, lanes), !is_ordinary);
    return {bytes, other.value_or(Shape{32, grain, columns})};
  }

  /// A vector memory.
  Buffer vectors(Draw& draw) const {
    return {4 * sizes_.lanes * draw.between(60, 500), random_shape(draw, in_bytes(sizes_.lanes), {8, 16, 32, 32})};
  }

  /// Bytes of this many elements of the machine.
  int64_t in_bytes(int64_t elements) const { return elements * element_bits_ / 8; }

  std::vector<std::string> memory_lines() {
    const int64_t rows = in_bytes(sizes_.rows);
    const int64_t columns = sizes_.columns;
    std::vector<std::string> lines;
    lines.push_back(
        fmt::format("  memory DRAM {{ kind = offchip; data_width = 8; banks = 1; depth = 4G; latency = {}; }}\n",
                    draw_.between(1, 60)));
    lines.push_back(
        fmt::format("  memory IMEM {{ kind = instruction; data_width = word_bits; banks = 1; depth = {} + table_words; "
                    "buffers = 2; }}\n",
                    draw_.odd(401, 1023)));
    lines.push_back("  memory IMM { kind = immediate; data_width = 32; banks = 1; depth = 32; }\n");
    lines.push_back(pad(draw_, "IBUF", {rows * draw_.between(60, 900), whole_shape(draw_, rows)}));
    lines.push_back(
        pad(draw_, "WBUF",
            {rows * columns * draw_.between(17, 150),
             draw_.once_in(3) ? random_shape(draw_, rows * columns, {8, 16, 32}) : Shape{8, 8, rows * columns}}));
    lines.push_back(pad(draw_, "BBUF", biases(draw_)));
    lines.push_back(pad(draw_, "OBUF", outputs(draw_)));
    simd_ = {"OBUF", "IMM"};
    for (int i = 1; i <= (has_third_ ? 3 : 2); ++i) {
      const std::string name = fmt::format("VMEM{}", i);
      lines.push_back(pad(draw_, name, vectors(draw_)));
      simd_.push_back(name);
    }
    return lines;
  }

  units::DrawnArray drawn_array() const {
    return {sizes_.rows, sizes_.columns, element_bits_, accumulator_bits_, saturates_};
  }

  units::DrawnLanes drawn_lanes() const { return {sizes_.lanes, element_bits_, in_fixed_point_, half_away_}; }

  std::vector<std::string> edge_lines() {
    std::vector<std::string> lines;
    const auto offchip = [&](const std::string& from, const std::string& to) {
      const std::string bus = to == "IMEM" ? "" : shared_bus(bus_draw_);
      lines.push_back(offchip_edge(draw_, from, to, bus));
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

  /// The edge itself, or that to or from a memory on the way.
  std::string offchip_edge(Draw& draw, const std::string& from, const std::string& to, const std::string& bus) {
    const auto [source, destination] = memories_.way(from, to);
    if (to != "IMEM") engines_.push_back(source + "->" + destination);
    int64_t bits = bandwidth(draw);
    if (to == "IMEM" && words_draw_.once_in(3)) bits = 8 * words_draw_.between(1, 64);  // whole words or not
    return fmt::format("  edge {} -> {} {{ bandwidth = {};{}{} }}\n", source, destination, bits, bus,
                       memories_.latency());
  }

  /// In a machine with buses, most edges share one of two.
  std::string shared_bus(Draw& draw) const {
    static const std::vector<std::string> buses{"", " bus = LEFT;", " bus = LEFT;", " bus = RIGHT;"};
    return has_buses_ ? draw.of(buses) : "";
  }

  /// Somewhere among them.
  void scatter(std::vector<std::string>& lines, const std::string& line) {
    const int64_t at = second_draw_.between(0, static_cast<int64_t>(lines.size()));
    lines.insert(lines.begin() + at, line);
  }

  /// An off-chip edge of a second node's memory.
  void connect(std::vector<std::string>& edges, const std::string& from, const std::string& to) {
    const std::string bus = shared_bus(second_draw_);
    scatter(edges, offchip_edge(second_draw_, from, to, bus));
  }

  /// Adds a systolic array of the same size, mostly with memories of its own.
  void add_array(std::vector<std::string>& memories, std::vector<std::string>& computes,
                 std::vector<std::string>& edges) {
    Draw& draw = second_draw_;
    const int64_t rows = in_bytes(sizes_.rows);
    const int64_t columns = sizes_.columns;
    const std::string input = draw.once_in(4) ? "IBUF" : "IBUF2";
    const std::string weight = draw.once_in(4) ? "WBUF" : "WBUF2";
    if (input == "IBUF2") {
      scatter(memories, pad(draw, input, {rows * draw.between(60, 900), whole_shape(draw, rows)}));
      connect(edges, "DRAM", input);
    }
    if (weight == "WBUF2") {
      scatter(memories, pad(draw, weight, {rows * columns * draw.between(17, 150), {8, 8, rows * columns}}));
      connect(edges, "DRAM", weight);
    }
    const std::string bias = memories_.is_shared() ? "BBUF" : "BBUF2";
    if (bias == "BBUF2") {
      scatter(memories, pad(draw, bias, {4 * columns * draw.between(2, 60), {32, 32, columns}}));
      connect(edges, "DRAM", bias);
    }
    const std::string output = memories_.is_shared() ? "OBUF" : "OBUF2";
    if (output == "OBUF2") {
      scatter(memories, pad(draw, output, outputs(draw)));
      if (has_output_store_) connect(edges, output, "DRAM");
      scatter(edges, "  edge OBUF2 -> SIMD;\n");
      simd_.push_back(output);
    }
    scatter(computes, units::array_text("SA2", drawn_array(), {input, weight, bias, output}));
    engines_.emplace_back("SA2");
    for (const std::string& edge : {input + " -> SA2", weight + " -> SA2", bias + " -> SA2", "SA2 -> " + output}) {
      scatter(edges, "  edge " + edge + ";\n");
    }
  }

  /// Adds another SIMD array, with two vector memories of its own.
  void add_lanes(std::vector<std::string>& memories, std::vector<std::string>& computes,
                 std::vector<std::string>& edges) {
    Draw& draw = second_draw_;
    for (const char* from : {"OBUF", "IMM"}) scatter(edges, fmt::format("  edge {} -> SIMD2;\n", from));
    for (const std::string name : {"VMEM4", "VMEM5"}) {
      scatter(memories, pad(draw, name, vectors(draw)));
      connect(edges, "DRAM", name);
      if (name == "VMEM4" || !draw.once_in(4)) connect(edges, name, "DRAM");
      scatter(edges, fmt::format("  edge {} <-> SIMD2;\n", name));
      simd_.push_back(name);
    }
    // It may do less, and take longer.
    Draw abilities_draw = draw;
    const bool differs = second_draw_.once_in(2);
    const std::string abilities = differs ? units::lane_abilities(abilities_draw, drawn_lanes(), 5) : abilities_;
    scatter(computes, units::lanes_text("SIMD2", drawn_lanes(), abilities));
    engines_.emplace_back("SIMD2");
  }

  enum class Second : uint8_t { kNone, kArray, kLanes };
  /// Two machines of seven have one.
  static std::vector<Second> seconds() {
    return {Second::kNone, Second::kNone, Second::kNone, Second::kNone, Second::kNone, Second::kArray, Second::kLanes};
  }

  Draw draw_;
  Draw bus_draw_;     ///< its own: machines without buses are what they would be
  Draw second_draw_;  ///< its own: machines without a second node are what they would be, others have more of it
  Draw fields_draw_;  ///< its own: machines with fields of 16 bits are what they would be
  Draw words_draw_;   ///< its own: machines whose words have 32 bits and an opcode are what they would be
  RandomMemories memories_;
  bool has_buses_;
  Second second_;
  Sizes sizes_;
  int64_t element_bits_ = 8;
  int64_t accumulator_bits_ = 32;  ///< width of sums in the systolic arrays
  bool saturates_ = false;         ///< their sums do
  bool in_fixed_point_ = false;    ///< sums are scaled so
  bool half_away_ = false;         ///< and halves rounded away from zero
  std::string title_;
  bool has_third_ = false;         ///< a third vector memory, loaded but not stored
  bool has_second_store_ = true;   ///< VMEM2 -> DRAM
  bool has_output_store_ = false;  ///< OBUF -> DRAM
  bool lacks_abilities_ = false;   ///< the first SIMD array does not do all
  std::string abilities_;          ///< capabilities of the first SIMD array
  std::vector<std::string> engines_, pads_, simd_;
};

}  // namespace

RandomMachine random_machine(uint64_t seed, uint64_t index, bool may_lack) {
  RandomMachine result;
  result.text = Builder(seed, index, may_lack).text();
  Result<acg::Machine> machine = acg::parse_machine(result.text, fmt::format("random-{}-{}.acg", seed, index));
  check(static_cast<bool>(machine), machine ? "" : "a random machine is refused: " + render(machine.error()));
  result.machine = std::move(*machine);
  return result;
}

}  // namespace covenant::runtime
