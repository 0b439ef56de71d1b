#include "compiler/layers/transposed_copies.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "acg/base/rounding.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/layers/copy_layers.h"
#include "compiler/layers/one_hot_product.h"
#include "compiler/network/views.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

/// Loops around a tile, whose rows and columns are the other two.
constexpr size_t kOuterLoops = kRowLoops - 2;

/// A copy by its loops.
struct Turn {
  std::vector<CopyLoop> outer;
  CopyLoop i;  ///< contiguous in x
  CopyLoop j;  ///< contiguous in y
};

/// Nothing if vectors are moved as they are, or if there are more loops than the codelet has.
std::optional<Turn> turn_of(const Network& network, const NetworkLayer& copy) {
  Turn turn;
  for (const CopyLoop& loop : loops_of(network, copy)) {
    CopyLoop& place = loop.in_x == 1 ? turn.i : loop.in_y == 1 ? turn.j : turn.outer.emplace_back();
    if (place.count != 1) return std::nullopt;
    place = loop;
  }
  const bool is_turned = turn.i.count > 1 && turn.j.count > 1 && turn.i.in_y > 1 && turn.j.in_x > 0;
  if (!is_turned || turn.outer.size() > kOuterLoops) return std::nullopt;
  return turn;
}

/// Part of a tensor, by its loops.
struct Part {
  size_t of = 0;        ///< an activation
  uint64_t offset = 0;  ///< from its first element
  std::vector<acg::Stride> loops;
};

class TransposedCopy {
 public:
  TransposedCopy(Network& network, const NetworkLayer& copy, Turn turn, uint64_t run, const acg::Machine& machine,
                 TakenNames& names)
      : network_(network), copy_(copy), turn_(std::move(turn)), run_(run), machine_(machine), names_(names) {
    const uint64_t lanes = codelet::written_at_once(machine, dtype());
    const uint64_t tiles = ceil_divide(turn_.j.count, lanes);
    lanes_ = turn_.j.count % tiles == 0 ? turn_.j.count / tiles : lanes;
    tiles_ = turn_.j.count / lanes_;
    runs_ = turn_.i.count / run_;
  }

  std::vector<NetworkLayer> layers() {
    product(is_in_runs() ? x_in_tiles() : tiles());
    const uint64_t i = runs_ * run_, j = tiles_ * lanes_;
    if (j < turn_.j.count) rest({0, j}, {turn_.i.count, turn_.j.count - j});
    if (i < turn_.i.count) rest({i, 0}, {turn_.i.count - i, j});
    return std::move(layers_);
  }

 private:
  DType dtype() const { return copy_.layer.dtypes.at("x"); }
  size_t x() const { return copy_.activations.at("x"); }
  size_t y() const { return copy_.activations.at("y"); }

  /// A row of x along i is one run, and rows lie one after the other.
  bool is_in_runs() const { return run_ == turn_.i.count && turn_.j.in_x == run_; }

  std::vector<acg::Stride> outer(uint64_t CopyLoop::* step) const { return steps_of(turn_.outer, kOuterLoops, step); }

  /// A tensor of its own for a part of another one.
  size_t view(const std::string& name, const Part& part) {
    return add_loops(network_, names_, copy_.layer.name + name, part.of, part.offset, part.loops);
  }

  /// Rows of the product, which are x as it is.
  size_t x_in_tiles() {
    std::vector<acg::Stride> loops = outer(&CopyLoop::in_x);
    const uint64_t tile = lanes_ * run_;
    loops.insert(loops.end(), {{1, 1}, {tiles_, tile}, {tile, 1}});
    return view("/turned/from", {x(), 0, std::move(loops)});
  }

  /// The same, copied in runs.
  size_t tiles() {
    std::vector<acg::Stride> from = outer(&CopyLoop::in_x);
    from.insert(from.end(), {{runs_, run_}, {tiles_ * lanes_, turn_.j.in_x}, {run_, 1}});
    const size_t source = view("/runs/from", {x(), 0, from});
    Activation made = network_.activations[source];
    made.name = names_.tensors.unique(copy_.layer.name + "/runs");
    made.storage = dense(made.storage.memory, made.shape, memory_order(made.shape.size()), run_);
    made.storage.allocation = network_.activations.size();
    network_.activations.push_back(made);
    const size_t to = network_.activations.size() - 1;
    add(copy_of(network_, machine_, names_.layers.unique(copy_.layer.name + "/runs"), source, to));
    layers_.back().elementwise = 0;  // the model moves elements once
    std::vector<acg::Stride> loops;
    const uint64_t tile = lanes_ * run_;
    for (size_t d = 0; d <= kOuterLoops; ++d) {
      loops.push_back({made.shape[d], made.storage.dimensions[d].strides[0].stride});
    }
    loops.insert(loops.end(), {{tiles_, tile}, {tile, 1}});
    return view("/turned/from", {to, 0, std::move(loops)});
  }

  void product(size_t rows) {
    std::vector<acg::Stride> loops = outer(&CopyLoop::in_y);
    const uint64_t i = turn_.i.in_y;
    loops.insert(loops.end(), {{runs_, run_ * i}, {tiles_, lanes_}, {run_, i}, {lanes_, 1}});
    const size_t made = view("/turned", {y(), 0, loops});
    std::vector<uint64_t> chosen;
    for (uint64_t c = 0; c < run_; ++c) {
      for (uint64_t l = 0; l < lanes_; ++l) chosen.push_back(l * run_ + c);
    }
    add(one_hot_product(network_, copy_, names_.layers.unique(copy_.layer.name + "/turned"), rows, made, chosen));
  }

  /// Copies `sizes` indices of i and j from `starts` on.
  void rest(std::array<uint64_t, 2> starts, std::array<uint64_t, 2> sizes) {
    const auto part = [&](size_t of, uint64_t CopyLoop::* step) {
      std::vector<acg::Stride> loops = outer(step);
      const uint64_t i = turn_.i.*step, j = turn_.j.*step;
      loops.insert(loops.end(), {{sizes[0], i}, {sizes[1], j}});
      return Part{of, starts[0] * i + starts[1] * j, std::move(loops)};
    };
    const size_t from = view("/rest/from", part(x(), &CopyLoop::in_x));
    const size_t to = view("/rest", part(y(), &CopyLoop::in_y));
    add(copy_of(network_, machine_, names_.layers.unique(copy_.layer.name + "/rest"), from, to));
  }

  void add(NetworkLayer layer) {
    set_views(network_, layer, machine_);
    layers_.push_back(std::move(layer));
  }

  Network& network_;
  const NetworkLayer copy_;
  const Turn turn_;
  const uint64_t run_;
  const acg::Machine& machine_;
  TakenNames& names_;
  uint64_t lanes_ = 1;  ///< of a tile along j
  uint64_t tiles_ = 1;  ///< along j
  uint64_t runs_ = 1;   ///< along i
  std::vector<NetworkLayer> layers_;
};

}  // namespace

std::vector<uint64_t> run_lengths(const Network& network, const NetworkLayer& copy, const acg::Machine& machine) {
  if (!has_one_hot_products(copy, machine)) return {};
  const std::optional<Turn> turn = turn_of(network, copy);
  if (!turn) return {};
  // A product of longer runs takes a step for each element, or more.
  const uint64_t most = std::min(turn->i.count, reduced_at_once(machine) / 2);
  std::vector<uint64_t> runs;
  for (uint64_t run = 2; run < most; run *= 2) runs.push_back(run);
  if (most > 1) runs.push_back(most);
  return runs;
}

std::vector<NetworkLayer> transposed_copy(Network& network, const NetworkLayer& copy, uint64_t run,
                                          const acg::Machine& machine, TakenNames& names) {
  return TransposedCopy(network, copy, turn_of(network, copy).value(), run, machine, names).layers();
}

}  // namespace covenant::compiler
