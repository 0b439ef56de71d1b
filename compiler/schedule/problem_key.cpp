#include "compiler/schedule/problem_key.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace covenant::compiler {
namespace {

/// Replaces names by their rank: names in fused layers contain those of the model, which differ from layer to layer,
/// and results depend on their order at most.
class Ranks {
 public:
  template <typename Named, typename NameOf>
  Ranks(const std::vector<Named>& all, NameOf name_of) {
    for (const Named& one : all) ranks_[name_of(one)] = 0;
    size_t rank = 0;
    for (auto& [name, own] : ranks_) own = rank++;
  }
  size_t of(const std::string& name) const { return ranks_.at(name); }

 private:
  std::map<std::string, size_t> ranks_;
};

class Writer {
 public:
  void write(const TileProblem& problem) {
    const Ranks loops(problem.loops, [](const TileLoop& loop) -> const std::string& { return loop.variable; });
    const Ranks tensors(problem.buffers,
                        [](const TileBuffer& buffer) -> const std::string& { return buffer.reference.surrogate; });
    put("problem {}\n", problem.shared);
    for (const TileLoop& loop : problem.loops) {
      put("loop {} {} {} {} {} {} {}\n", loops.of(loop.variable), loop.trips, loop.splittable, loop.may_overhang,
          loop.in_order, loop.is_one_by_one, loop.first);
    }
    for (const TileNest& nest : problem.nests) {
      put("nest {} {} {} {} {}\n", nest.compute.capability, nest.compute.location, nest.loops, nest.operands,
          nest.destination);
    }
    for (const TileBuffer& buffer : problem.buffers) write(buffer, tensors);
  }

  void write(const Pinned& pinned) { put("pinned {} {}\n", pinned.tiling, pinned.order); }

  std::string take() { return std::move(text_); }

 private:
  template <typename... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  void write(const TileBuffer& buffer, const Ranks& tensors) {
    put("buffer {} {} {} {} {} {} {} {} {}", static_cast<int>(buffer.role), tensors.of(buffer.reference.surrogate),
        name(buffer.dtype), buffer.vector_shape, buffer.row_alignment, buffer.tensor_shape, buffer.tensor_strides,
        buffer.first, buffer.loops);
    put(" from {}", buffer.home.value);
    for (const acg::MemoryId memory : buffer.memories) put(" in {}", memory.value);
    for (const Extent& extent : buffer.extents) {
      put(" extent {}", extent.base);
      for (const auto& [loop, factor] : extent.factors) put(" {}x{}", factor, loop);
    }
    put("\n");
  }

  std::string text_;
};

}  // namespace

std::string problem_key(const TileProblem& problem, const std::vector<TileProblem>& others, const Pinned& pinned) {
  Writer writer;
  writer.write(problem);
  for (const TileProblem& other : others) writer.write(other);
  writer.write(pinned);
  return writer.take();
}

std::string names_in(const TileProblem& problem) {
  std::string names;
  for (const TileLoop& loop : problem.loops) names += " " + loop.variable;
  for (const TileBuffer& buffer : problem.buffers) names += " " + buffer.reference.surrogate;
  return names;
}

}  // namespace covenant::compiler
