#include "compiler/schedule/problem_key.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace covenant::compiler {
namespace {

class Writer {
 public:
  void write(const TileProblem& problem) {
    put("problem {}\n", problem.shared);
    for (const TileLoop& loop : problem.loops) {
      put("loop {} {} {} {} {} {} {}\n", loop.variable, loop.trips, loop.splittable, loop.may_overhang, loop.in_order,
          loop.is_one_by_one, loop.first);
    }
    for (const TileNest& nest : problem.nests) {
      put("nest {} {} {} {} {}\n", nest.compute.capability, nest.compute.location, nest.loops, nest.operands,
          nest.destination);
    }
    for (const TileBuffer& buffer : problem.buffers) write(buffer);
  }

  void write(const Pinned& pinned) { put("pinned {} {}\n", pinned.tiling, pinned.order); }

  std::string take() { return std::move(text_); }

 private:
  template <typename... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  void write(const TileBuffer& buffer) {
    put("buffer {} {} {} {} {} {} {} {} {}", static_cast<int>(buffer.role), buffer.reference.surrogate,
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

}  // namespace covenant::compiler
