#include "tests/pass/valid_tiling/brute_force.h"

#include <functional>
#include <stdexcept>
#include <vector>

namespace covenant::compiler::testing {
namespace {

constexpr uint64_t kKibit = 1024;

/// A tile on its way: bits, the memories it stays in, and the two ends of each step as they follow each other.
struct Tile {
  uint64_t bits = 0;
  std::vector<std::string> stays;
  bool from_outside = false;
  bool to_outside = false;
};

int64_t chunks(uint64_t size, int64_t at_once) { return (static_cast<int64_t>(size) + at_once - 1) / at_once; }

bool fits(const std::vector<Tile>& tiles, const ProductMachine& machine) {
  std::map<std::string, uint64_t> used;
  for (const Tile& tile : tiles) {
    if ((tile.from_outside || tile.to_outside) && tile.bits % machine.outermost.element != 0) return false;
    for (const std::string& room : tile.stays) {
      if (tile.bits % machine.rooms.at(room).element != 0) return false;
      used[room] += tile.bits;
    }
  }
  for (const auto& [room, total] : used) {
    if (total > machine.rooms.at(room).buffer) return false;
  }
  return true;
}

std::vector<Tile> tiles_of(uint64_t x, uint64_t w, uint64_t b, uint64_t y, const ProductMachine& machine) {
  std::vector<Tile> tiles{{x * 8, {machine.inputs}, true, false},
                          {w * 8, {machine.weights}, true, false},
                          {b * 32, {machine.biases}, true, false}};
  if (machine.exit.empty()) {
    tiles.push_back({y * 32, {machine.sums}, false, true});
  } else {
    tiles.push_back({y * 32, {machine.sums}, false, false});
    tiles.push_back({y * 32, {machine.exit}, false, true});
  }
  return tiles;
}

/// Every combination of divisors of the trips.
void for_each(const std::vector<std::pair<std::string, int64_t>>& trips, size_t next, NamedTiling& tiling,
              const std::function<void()>& visit) {
  if (next == trips.size()) return visit();
  for (int64_t tile = 1; tile <= trips[next].second; ++tile) {
    if (trips[next].second % tile != 0) continue;
    tiling[trips[next].first] = tile;
    for_each(trips, next + 1, tiling, visit);
  }
}

}  // namespace

std::set<NamedTiling> brute_force(const BenchmarkLayer& layer, const ProductMachine& machine) {
  const bool is_conv = layer.kind == BenchmarkKind::kConv;
  std::vector<std::pair<std::string, int64_t>> trips;
  if (is_conv) {
    const auto kernel = static_cast<int64_t>(layer.kernel);
    trips = {{"n", static_cast<int64_t>(layer.batch)},
             {"oc", chunks(layer.out_channels, machine.columns)},
             {"oh", static_cast<int64_t>(layer.output_rows)},
             {"ow", static_cast<int64_t>(layer.output_columns)},
             {"ic", chunks(layer.in_channels, machine.rows)},
             {"kh", kernel},
             {"kw", kernel}};
  } else {
    trips = {{"g", static_cast<int64_t>(layer.heads)},
             {"n", static_cast<int64_t>(layer.m)},
             {"o", chunks(layer.n, machine.columns)},
             {"k", chunks(layer.k, machine.rows)}};
  }
  std::set<NamedTiling> valid;
  NamedTiling t;
  for_each(trips, 0, t, [&] {
    const auto stride = static_cast<int64_t>(layer.stride);
    int64_t x = 0;
    int64_t w = 0;
    int64_t b = 0;
    int64_t y = 0;
    if (is_conv) {
      const int64_t height = (t["oh"] - 1) * stride + t["kh"];
      const int64_t width = (t["ow"] - 1) * stride + t["kw"];
      x = t["n"] * height * width * t["ic"] * machine.rows;
      w = t["kh"] * t["kw"] * t["ic"] * machine.rows * t["oc"] * machine.columns;
      b = t["oc"] * machine.columns;
      y = t["n"] * t["oh"] * t["ow"] * t["oc"] * machine.columns;
    } else {
      x = t["g"] * t["n"] * t["k"] * machine.rows;
      w = t["g"] * t["k"] * machine.rows * t["o"] * machine.columns;
      b = t["g"] * t["o"] * machine.columns;
      y = t["g"] * t["n"] * t["o"] * machine.columns;
    }
    const auto size = [](int64_t value) { return static_cast<uint64_t>(value); };
    if (fits(tiles_of(size(x), size(w), size(b), size(y), machine), machine)) valid.insert(t);
  });
  return valid;
}

ProductMachine product_machine(const std::string& name) {
  if (name == "dnnweaver") {
    // IBUF 8 x 64 x 2048, WBUF 8 x 4096 x 4096, BBUF 32 x 64 x 1024, OBUF 32 x 64 x 2048: totals of two buffers.
    return {name,
            64,
            64,
            {8, 0},
            {{"IBUF", {512, 512 * 1024}},
             {"WBUF", {32768, uint64_t{32768} * 2048}},
             {"BBUF", {2048, 2048 * 512}},
             {"OBUF", {2048, 2048 * 1024}}},
            "IBUF",
            "WBUF",
            "BBUF",
            "OBUF",
            ""};
  }
  if (name.starts_with("hvx_paper")) {
    const uint64_t element = name == "hvx_paper" ? 32768 : 1024;
    // One buffer each. The matrix lies in the vector registers, the vector and the addend in the general ones.
    return {name,  4,     32,    {256, 0}, {{"GRF", {128, 128 * 32}}, {"VRF", {element, 32768 * 32}}},
            "GRF", "VRF", "GRF", "VRF",    ""};
  }
  // Published designs: array, then Kibit of weights, sums, inputs, biases and of each vector memory, buffers together.
  struct Design {
    int64_t size;
    uint64_t weights, sums, inputs, biases, vectors;
  };
  static const std::map<std::string, Design> designs{{"genesys:03", {16, 256, 512, 256, 16, 512}},
                                                     {"genesys:07", {32, 2048, 2048, 1024, 32, 2048}},
                                                     {"genesys:09", {64, 4096, 4096, 2048, 64, 4096}}};
  const auto found = designs.find(name);
  if (found == designs.end()) throw std::runtime_error("no such design: " + name);
  const Design& one = found->second;
  const auto lanes = static_cast<uint64_t>(one.size);
  return {name,
          one.size,
          one.size,
          {8, 0},
          {{"IBUF", {8 * lanes, one.inputs * kKibit / 2}},
           {"WBUF", {8 * lanes * lanes, one.weights * kKibit / 2}},
           {"BBUF", {32 * lanes, one.biases * kKibit / 2}},
           {"OBUF", {32 * lanes, one.sums * kKibit / 2}},
           {"VMEM", {8 * lanes, one.vectors * kKibit / 2}}},
          "IBUF",
          "WBUF",
          "BBUF",
          "OBUF",
          "VMEM"};
}

}  // namespace covenant::compiler::testing
