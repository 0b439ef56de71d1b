#include "compiler/codelet/interpret.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "acg/base/accumulator.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/element.h"
#include "compiler/codelet/runnable.h"
#include "compiler/codelet/verify.h"

namespace covenant::compiler::codelet {
namespace {

/// A tensor during execution.
struct Tensor {
  DType dtype = DType::kI32;
  size_t element_bytes = 4;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  ///< in elements
  int64_t offset = 0;            ///< in elements
  int32_t fill = 0;
  std::vector<uint8_t> data;
};

/// An `out` that is a view is written into an existing tensor.
bool is_bound(SurrogateKind kind, const TensorInfo& info) {
  return kind == SurrogateKind::kInp || (kind == SurrogateKind::kOut && !info.strides.empty());
}

class Interpreter {
 public:
  Interpreter(const Runnable& runnable, Bindings& bindings) : runnable_(runnable), variables_(runnable.variables) {
    for (size_t i = 0; i < runnable.tensors.size(); ++i) {
      const TensorInfo& info = runnable.tensors[i];
      Tensor tensor{info.dtype,  bytes(info.dtype), info.shape, std::vector<int64_t>(info.shape.size(), 1),
                    info.offset, info.fill,         {}};
      if (!info.strides.empty()) tensor.strides = info.strides;
      for (size_t d = info.shape.size(); info.strides.empty() && d-- > 1;)
        tensor.strides[d - 1] = tensor.strides[d] * info.shape[d];
      if (i < runnable.kinds.size() && is_bound(runnable.kinds[i], info)) {
        tensor.data = bindings.at(info.name);
      } else {
        tensor.data.assign(static_cast<size_t>(info.elements()) * tensor.element_bytes, 0);
      }
      tensors_.push_back(std::move(tensor));
    }
  }

  void run() { run(runnable_.steps); }

  std::vector<uint8_t> take(size_t tensor) { return std::move(tensors_[tensor].data); }

 private:
  void run(const std::vector<Action>& steps) {
    for (const Action& step : steps) {
      std::visit([this](const auto& one) { execute(one); }, step.step);
    }
  }

  void execute(const LoopAction& loop) {
    for (int64_t value = loop.lower; value < loop.upper; value += loop.stride) {
      variables_[loop.variable] = value;
      run(loop.body);
    }
  }

  void execute(const AllocateAction& step) {
    Tensor& tensor = tensors_[step.tensor];
    if (step.fill_lane == 0) {
      std::fill(tensor.data.begin(), tensor.data.end(), uint8_t{0});
      return;
    }
    for (size_t at = 0; at < tensor.data.size(); at += tensor.element_bytes) {
      store_element(tensor.dtype, step.fill_lane, tensor.data.data() + at);
    }
  }

  void execute(const CopyAction& step) {
    locate(step.from, from_);
    locate(step.to, to_);
    const Tensor& from = tensors_[step.from.tensor];
    Tensor& to = tensors_[step.to.tensor];
    copy(step, 0, from, from.offset, to, to.offset, true);
  }

  /// Copies along dimension `d`. `from_at` and `to_at` are the element offsets of the outer dimensions; `inside` tells
  /// whether those are inside of the source.
  void copy(const CopyAction& step, size_t d, const Tensor& from, int64_t from_at, Tensor& to, int64_t to_at,
            bool inside) {
    if (d == step.from.extents.size()) {
      store_element(to.dtype, inside ? load_element(from.dtype, from.data.data() + bytes_at(from, from_at)) : from.fill,
                    to.data.data() + bytes_at(to, to_at));
      return;
    }
    const int64_t first = std::max<int64_t>(0, -to_[d]);
    const int64_t last = std::min(step.from.extents[d], to.shape[d] - to_[d]);
    const bool innermost = d + 1 == step.from.extents.size();
    const bool whole = from_[d] + first >= 0 && from_[d] + last <= from.shape[d];
    if (innermost && inside && whole && from.dtype == to.dtype && from.strides[d] == 1 && to.strides[d] == 1) {
      if (last > first) {
        std::memcpy(to.data.data() + bytes_at(to, to_at + to_[d] + first),
                    from.data.data() + bytes_at(from, from_at + from_[d] + first),
                    static_cast<size_t>(last - first) * from.element_bytes);
      }
      return;
    }
    for (int64_t i = first; i < last; ++i) {
      const int64_t source = from_[d] + i;
      const bool source_inside = inside && source >= 0 && source < from.shape[d];
      copy(step, d + 1, from, from_at + source * from.strides[d], to, to_at + (to_[d] + i) * to.strides[d],
           source_inside);
    }
  }

  static size_t bytes_at(const Tensor& tensor, int64_t element) {
    return static_cast<size_t>(element) * tensor.element_bytes;
  }

  void locate(const View& view, std::vector<int64_t>& origin) const {
    origin.resize(view.origin.size());
    for (size_t d = 0; d < origin.size(); ++d) origin[d] = view.origin[d].evaluate(variables_);
  }

  void execute(const ComputeAction& step) {
    const bool first = std::all_of(step.reduction.begin(), step.reduction.end(),
                                   [this](const auto& loop) { return variables_[loop.first] == loop.second; });
    lanes_.resize(step.operands.size());
    operands_.clear();
    for (size_t i = 0; i < step.operands.size(); ++i) {
      if (const auto* constant = std::get_if<std::vector<int32_t>>(&step.operands[i])) {
        operands_.emplace_back(*constant);
        continue;
      }
      gather(std::get<View>(step.operands[i]), lanes_[i]);
      operands_.emplace_back(lanes_[i]);
    }
    if (step.reduction.empty() || first) {
      result_.assign(static_cast<size_t>(step.destination.elements), 0);
    } else {
      gather(step.destination, result_);
    }
    if (step.saturates) {
      apply_saturating(step.function, operands_, first, step.accumulator_bits, result_);
      return scatter(step.destination);
    }
    apply(step.function, operands_, step.quantization, first, result_);
    if (step.accumulator_bits != kWordBits) {
      for (int32_t& sum : result_) sum = wrapped(static_cast<uint32_t>(sum), step.accumulator_bits);
    }
    scatter(step.destination);
  }

  /// Calls `row(element offset, elements inside, lane of the first of these)` for every row of the block, along its
  /// last dimension; a row outside of the tensor has no elements inside.
  template <typename Row>
  void for_each_row(const View& view, Row row) {
    const Tensor& tensor = tensors_[view.tensor];
    locate(view, origin_);
    const size_t rank = origin_.size();
    if (rank == 0) return row(tensor.offset, 1, 0);
    int64_t base = tensor.offset;
    bool inside = true;
    // Only the last two dimensions of a block may span more than one element: vectors and matrices.
    for (size_t d = 0; d + 2 < rank; ++d) {
      base += origin_[d] * tensor.strides[d];
      inside = inside && origin_[d] >= 0 && origin_[d] < tensor.shape[d];
    }
    const size_t last = rank - 1;
    const int64_t width = view.extents[last];
    const int64_t height = view.rows > 1 || rank < 2 ? view.rows : view.extents[rank - 2];
    const int64_t skipped = std::clamp<int64_t>(-origin_[last], 0, width);
    const int64_t ends = std::clamp<int64_t>(tensor.shape[last] - origin_[last], skipped, width);
    for (int64_t i = 0; i < height; ++i) {
      int64_t at = base + (origin_[last] + skipped) * tensor.strides[last];
      bool row_inside = inside;
      if (rank >= 2) {
        const int64_t index = origin_[rank - 2] + i * view.step;
        at += index * tensor.strides[rank - 2];
        row_inside = inside && index >= 0 && index < tensor.shape[rank - 2];
      }
      row(row_inside ? at : 0, row_inside ? ends - skipped : 0, i * width + skipped);
    }
  }

  /// Element offset of a block of one element. Nothing if it lies outside of its tensor.
  std::optional<int64_t> locate_one(const View& view) const {
    const Tensor& tensor = tensors_[view.tensor];
    int64_t at = tensor.offset;
    for (size_t d = 0; d < view.origin.size(); ++d) {
      const int64_t index = view.origin[d].evaluate(variables_);
      if (index < 0 || index >= tensor.shape[d]) return std::nullopt;
      at += index * tensor.strides[d];
    }
    return at;
  }

  void gather(const View& view, std::vector<int32_t>& lanes) {
    const Tensor& tensor = tensors_[view.tensor];
    if (view.elements == 1) {
      const std::optional<int64_t> at = locate_one(view);
      lanes.assign(1, at ? load_element(tensor.dtype, tensor.data.data() + bytes_at(tensor, *at)) : tensor.fill);
      return;
    }
    lanes.assign(static_cast<size_t>(view.elements), tensor.fill);
    for_each_row(view, [&](int64_t at, int64_t elements, int64_t first_lane) {
      const uint8_t* data = tensor.data.data() + bytes_at(tensor, at);
      int32_t* to = lanes.data() + first_lane;
      if (tensor.strides.back() != 1) {
        for (int64_t j = 0; j < elements; ++j) {
          to[j] = load_element(tensor.dtype, data + bytes_at(tensor, j * tensor.strides.back()));
        }
        return;
      }
      switch (tensor.dtype) {
        case DType::kI8:
          for (int64_t j = 0; j < elements; ++j) to[j] = static_cast<int8_t>(data[j]);
          break;
        case DType::kU8:
          for (int64_t j = 0; j < elements; ++j) to[j] = data[j];
          break;
        default:
          for (int64_t j = 0; j < elements; ++j) {
            to[j] = load_element(tensor.dtype, data + bytes_at(tensor, j));
          }
      }
    });
  }

  void scatter(const View& view) {
    Tensor& tensor = tensors_[view.tensor];
    if (view.elements == 1) {
      const std::optional<int64_t> at = locate_one(view);
      if (at) store_element(tensor.dtype, result_[0], tensor.data.data() + bytes_at(tensor, *at));
      return;
    }
    for_each_row(view, [&](int64_t at, int64_t elements, int64_t first_lane) {
      uint8_t* data = tensor.data.data() + bytes_at(tensor, at);
      for (int64_t j = 0; j < elements; ++j) {
        store_element(tensor.dtype, result_[static_cast<size_t>(first_lane + j)], data + bytes_at(tensor, j));
      }
    });
  }

  const Runnable& runnable_;
  std::vector<int64_t> variables_;
  std::vector<Tensor> tensors_;
  // Reused by all steps to avoid allocations.
  std::vector<int64_t> from_, to_, origin_;
  std::vector<std::vector<int32_t>> lanes_;
  std::vector<std::span<const int32_t>> operands_;
  std::vector<int32_t> result_;
};

Status check_bindings(const Codelet& codelet, const Runnable& runnable, const Bindings& tensors) {
  for (size_t i = 0; i < runnable.kinds.size(); ++i) {
    const TensorInfo& info = runnable.tensors[i];
    if (!is_bound(runnable.kinds[i], info)) continue;
    const size_t expected = static_cast<size_t>(info.elements()) * bytes(info.dtype);
    const auto found = tensors.find(info.name);
    // A view does not reach past its last element: the tensor may be larger.
    const bool fits = found != tensors.end() &&
                      (info.strides.empty() ? found->second.size() == expected : found->second.size() >= expected);
    if (!fits) {
      return diagnose("CDL0021", {}, codelet.name, "the tensor '" + info.name + "' is missing or of the wrong size",
                      found == tensors.end() ? "none" : std::to_string(found->second.size()) + " bytes",
                      {std::to_string(expected) + " bytes"}, "bind a tensor of the surrogate's shape and dtype");
    }
  }
  return Done{};
}

}  // namespace

Status interpret(const Codelet& codelet, const acg::Machine* machine, Bindings& tensors) {
  if (Status verified = verify(codelet, machine); !verified) return verified.error();
  const Result<Runnable> runnable = make_runnable(codelet, machine);
  if (!runnable) return runnable.error();
  if (Status bound = check_bindings(codelet, *runnable, tensors); !bound) return bound.error();
  Interpreter interpreter(*runnable, tensors);
  interpreter.run();
  for (size_t i = 0; i < runnable->kinds.size(); ++i) {
    if (runnable->kinds[i] == SurrogateKind::kOut) tensors[runnable->tensors[i].name] = interpreter.take(i);
  }
  return Done{};
}

}  // namespace covenant::compiler::codelet
