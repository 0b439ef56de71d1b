#include "compiler/values/plan.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <numeric>
#include <thread>

#include "acg/base/check.h"
#include "compiler/operators/templates.h"
#include "compiler/operators/verify.h"
#include "compiler/values/layout.h"

namespace covenant::compiler::values {
namespace {

using srdfg::ValueId;

constexpr size_t kAlignment = 64;

/// Memory that holds one tensor at a time.
struct Memory {
  explicit Memory(size_t room) : bytes(room), data(new (std::align_val_t{kAlignment}) uint8_t[room + kSlack]()) {}

  struct Free {
    void operator()(uint8_t* pointer) const { operator delete[](pointer, std::align_val_t{kAlignment}); }
  };
  size_t bytes;
  std::unique_ptr<uint8_t[], Free> data;
};

Kernel kernel_of(const Problem& problem, bool exact, bool& is_exact) {
  is_exact = false;
  if (!exact) {
    constexpr std::array kKernels{&depthwise_kernel,   &linear_kernel,  &pool_kernel,   &pair_kernel,
                                  &elementwise_kernel, &softmax_kernel, &matmul_kernel, &movement_kernel};
    for (const auto& make : kKernels) {
      if (std::optional<Kernel> kernel = make(problem)) return *std::move(kernel);
    }
  }
  is_exact = true;
  return exact_kernel(problem);
}

}  // namespace

/// The tensors of one image and the memory that holds them, for one thread.
class Plan::Image {
 public:
  Image(const Plan& plan, const std::map<std::string, Stack>& given, const std::map<std::string, MutableStack>& made)
      : plan_(plan),
        at_(plan.graph_->values.size()),
        given_(at_.size()),
        keeps_(at_.size()),
        scratch_(plan.scratch_bytes_) {
    for (size_t value = 0; value < at_.size(); ++value) {
      const std::string& name = plan.graph_->values[value].name;
      if (const auto found = made.find(name); found != made.end()) keeps_[value] = found->second.data();
      if (const auto found = given.find(name); found != given.end()) given_[value] = found->second.data();
    }
  }

  void run(size_t index) {
    const srdfg::Graph& graph = *plan_.graph_;
    free_.resize(memories_.size());
    std::iota(free_.begin(), free_.end(), size_t{0});
    std::ranges::fill(at_, kNowhere);
    for (const ValueId id : graph.inputs) {
      take(id, index, place(id));
      keep(id, index);
    }
    for (size_t s = 0; s < plan_.steps_.size(); ++s) {
      const Step& step = plan_.steps_[s];
      operands_.clear();
      for (const ValueId id : step.inputs) operands_.push_back(memories_[at_[id.value]].data.get());
      uint8_t* const to = place(step.output);
      step.kernel.run(operands_, to, scratch_.data.get());
      keep(step.output, index);
      if (given_[step.output.value] != nullptr) take(step.output, index, to);
      for (const ValueId id : step.inputs) release(id, s);
      release(step.output, s);
    }
  }

 private:
  /// Memory for a value: the smallest free one that is large enough.
  uint8_t* place(ValueId id) {
    const size_t size = size_of(plan_.graph_->get(id));
    size_t best = free_.size();
    for (size_t i = 0; i < free_.size(); ++i) {
      if (memories_[free_[i]].bytes < size) continue;
      if (best == free_.size() || memories_[free_[i]].bytes < memories_[free_[best]].bytes) best = i;
    }
    if (best == free_.size()) {
      free_.push_back(memories_.size());
      memories_.emplace_back(size);
    }
    at_[id.value] = free_[best];
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(best));
    return memories_[at_[id.value]].data.get();
  }

  void release(ValueId id, size_t step) {
    if (plan_.last_use_[id.value] != step || at_[id.value] == kNowhere) return;
    free_.push_back(at_[id.value]);
    at_[id.value] = kNowhere;
  }

  void take(ValueId id, size_t index, uint8_t* to) const {
    const srdfg::Value& value = plan_.graph_->get(id);
    to_stored(value, given_[id.value] + index * size_of(value), to);
  }

  void keep(ValueId id, size_t index) const {
    if (keeps_[id.value] == nullptr) return;
    const srdfg::Value& value = plan_.graph_->get(id);
    to_row_major(value, memories_[at_[id.value]].data.get(), keeps_[id.value] + index * size_of(value));
  }

  static constexpr size_t kNowhere = SIZE_MAX;

  const Plan& plan_;
  std::vector<size_t> at_;  ///< memory of each value
  std::vector<const uint8_t*> given_;
  std::vector<uint8_t*> keeps_;
  std::vector<Memory> memories_;
  std::vector<size_t> free_;
  std::vector<const uint8_t*> operands_;
  Memory scratch_;
};

Result<Plan> Plan::make(srdfg::Graph graph, const PlanOptions& options) {
  check(has(options.simd), "instructions that this processor has");
  if (Status status = operators::verify_normalized(graph); !status) return status.error();
  graph = operators::inlined_components(std::move(graph));
  if (options.how != Requantization::kFloat) {
    for (srdfg::Node& node : graph.nodes) node = reference::in_fixed_point(std::move(node), options.how);
  }
  Plan plan;
  plan.graph_ = std::make_shared<const srdfg::Graph>(std::move(graph));
  const srdfg::Graph& known = *plan.graph_;
  plan.last_use_.assign(known.values.size(), SIZE_MAX);
  for (size_t s = 0; s < known.nodes.size(); ++s) {
    const srdfg::Node& node = known.nodes[s];
    Step& step = plan.steps_.emplace_back();
    step.node = &node;
    step.kernel = kernel_of({known, node, options.simd}, options.exact, step.is_exact);
    step.output = node.outputs.at(0);
    for (const ValueId id : node.inputs) {
      if (known.get(id).modifier != srdfg::Modifier::kParam) step.inputs.push_back(id);
      plan.last_use_[id.value] = s;
    }
    plan.last_use_[step.output.value] = s;  // extended by each later reader
    plan.scratch_bytes_ = std::max(plan.scratch_bytes_, step.kernel.scratch_bytes);
  }
  return plan;
}

std::vector<std::string> Plan::exact_nodes() const {
  std::vector<std::string> names;
  for (const Step& step : steps_) {
    if (step.is_exact) names.push_back(step.node->operation + " " + step.node->name);
  }
  return names;
}

void Plan::run(size_t images, const std::map<std::string, Stack>& given,
               const std::map<std::string, MutableStack>& made, size_t threads) const {
  const auto fits = [&](const std::string& name, size_t bytes) {
    const auto value = std::ranges::find(graph_->values, name, &srdfg::Value::name);
    check(value != graph_->values.end() && bytes == images * size_of(*value), "a stack of a value of the graph");
  };
  for (const auto& [name, stack] : given) fits(name, stack.size());
  for (const ValueId id : graph_->inputs) check(given.contains(graph_->get(id).name), "a stack for each input");
  for (const auto& [name, stack] : made) fits(name, stack.size());
  std::atomic<size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&] {
    try {
      Image image(*this, given, made);
      for (size_t index = next++; index < images; index = next++) image.run(index);
    } catch (...) {
      const std::lock_guard guard(failing);
      if (!failure) failure = std::current_exception();
      next = images;
    }
  };
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min(threads, images); ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace covenant::compiler::values
