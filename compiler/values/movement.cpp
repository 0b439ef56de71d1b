/// Kernels of reshape, transpose, slice, repeat, pad and concat: the source of each byte is known beforehand.
#include "compiler/reference/movement.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

#include "compiler/reference/requantize.h"
#include "compiler/srdfg/queries.h"
#include "compiler/values/kernel.h"
#include "compiler/values/layout.h"

namespace covenant::compiler::values {
namespace {

using srdfg::Value;
using Index = std::vector<uint64_t>;

/// Bytes that are contiguous both in an input and in the output.
struct Run {
  uint32_t input;
  uint32_t from;
  uint32_t to;
  uint32_t length;
};

struct Source {
  uint32_t input = 0;
  uint64_t at = 0;  ///< offset in the stored order
  bool is_pad = false;
};

/// Finds the source of each element of the output.
class Sources {
 public:
  explicit Sources(const Problem& problem) : problem_(problem), operation_(problem.node.operation) {
    for (size_t i = 0; i < problem.node.inputs.size(); ++i) strides_.push_back(stored_strides(problem.input(i)));
    rows_ = srdfg::row_major_strides(problem.output().shape);
    if (operation_ == "concat") axis_ = static_cast<size_t>(srdfg::integer_attribute(problem.node, "axis"));
    for (const char* list : {"permutation", "starts", "steps", "factors", "before"}) {
      if (!problem.node.attributes.contains(list)) continue;
      lists_.emplace_back();
      for (const int64_t entry : srdfg::integers_attribute(problem.node, list)) {
        lists_.back().push_back(static_cast<uint64_t>(entry));
      }
    }
  }

  /// Source of the element at `index`.
  Source of(const Index& index) const {
    if (operation_ == "concat") return of_concat(index);
    if (operation_ == "reshape") return of_reshape(index);
    const Index& from = problem_.input(0).shape;
    Source source;
    for (size_t d = 0; d < index.size(); ++d) {
      if (operation_ == "transpose") {
        source.at += index[d] * strides_[0][lists_[0][d]];
      } else if (operation_ == "slice") {
        source.at += (lists_[0][d] + index[d] * lists_[1][d]) * strides_[0][d];
      } else if (operation_ == "repeat") {
        source.at += index[d] / lists_[0][d] * strides_[0][d];
      } else {  // pad
        const uint64_t before = lists_[0][d];
        if (index[d] < before || index[d] - before >= from[d]) return {0, 0, true};
        source.at += (index[d] - before) * strides_[0][d];
      }
    }
    return source;
  }

 private:
  Source of_concat(const Index& index) const {
    Source source;
    uint64_t along = index[axis_];
    for (; along >= problem_.input(source.input).shape[axis_]; ++source.input) {
      along -= problem_.input(source.input).shape[axis_];
    }
    const Index& strides = strides_[source.input];
    for (size_t d = 0; d < index.size(); ++d) source.at += (d == axis_ ? along : index[d]) * strides[d];
    return source;
  }

  /// The element at the same row-major position.
  Source of_reshape(const Index& index) const {
    uint64_t place = 0;
    for (size_t d = 0; d < index.size(); ++d) place += index[d] * rows_[d];
    const Index& from = problem_.input(0).shape;
    Source source;
    for (size_t d = from.size(); d-- > 0; place /= from[d]) source.at += place % from[d] * strides_[0][d];
    return source;
  }

  const Problem& problem_;
  std::string_view operation_;
  std::vector<Index> strides_;  ///< strides of each input
  Index rows_;                  ///< strides of the output, row-major
  std::vector<Index> lists_;    ///< list attributes, in the order of compiler/operators/operators.h
  size_t axis_ = 0;
};

/// Dimensions of a tensor in the order in which it is stored, outermost first.
std::vector<size_t> stored_order(const Value& value) {
  std::vector<size_t> order(value.shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  return is_channels_last(value) ? std::vector<size_t>{0, 2, 3, 1} : order;
}

/// All bytes of the output that have a source, in stored order.
std::vector<Run> runs_of(const Problem& problem) {
  const Value& y = problem.output();
  const Sources sources(problem);
  const std::vector<size_t> order = stored_order(y);
  Index index(y.shape.size());
  std::vector<Run> runs;
  for (uint64_t to = 0, count = srdfg::element_count(y.shape); to < count; ++to) {
    const Source source = sources.of(index);
    for (auto d = order.rbegin(); d != order.rend(); ++d) {
      if (++index[*d] < y.shape[*d]) break;
      index[*d] = 0;
    }
    if (source.is_pad) continue;
    Run* const last = runs.empty() ? nullptr : &runs.back();
    if (last != nullptr && last->input == source.input && last->to + last->length == to &&
        last->from + last->length == source.at) {
      ++last->length;
    } else {
      runs.push_back({source.input, static_cast<uint32_t>(source.at), static_cast<uint32_t>(to), 1});
    }
  }
  return runs;
}

}  // namespace

std::optional<Kernel> movement_kernel(const Problem& problem) {
  if (!reference::is_movement(problem.node.operation)) return {};
  if (!has_only(problem.node,
                {"permutation", "starts", "steps", "factors", "before", "after", "axis", reference::kFixedPoint})) {
    return {};
  }
  for (size_t i = 0; i < problem.node.inputs.size(); ++i) {
    const Value& x = problem.input(i);
    if (!is_byte(x.dtype) || x.modifier == srdfg::Modifier::kParam || size_of(x) > UINT32_MAX) return {};
  }
  const Value& y = problem.output();
  if (!is_byte(y.dtype) || size_of(y) > UINT32_MAX) return {};
  auto runs = std::make_shared<std::vector<Run>>(runs_of(problem));
  const bool is_pad = problem.node.operation == "pad";
  const auto pad = is_pad ? static_cast<uint8_t>(zero_of(y)) : uint8_t{0};
  const size_t size = size_of(y);
  return Kernel{0, [=](auto inputs, uint8_t* out, uint8_t*) {
                  if (is_pad) std::memset(out, pad, size);
                  for (const Run& run : *runs) {
                    if (run.length == 1) {
                      out[run.to] = inputs[run.input][run.from];
                    } else {
                      std::memcpy(out + run.to, inputs[run.input] + run.from, run.length);
                    }
                  }
                }};
}

}  // namespace covenant::compiler::values
