/// Values of a model for many images: planned once, then computed on all cores without looking at the model again.
///
/// The values are those of the reference operators (compiler/reference), which stay the words that count: operators
/// without a fast kernel are computed by them. Nothing here knows of machines or time.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "compiler/reference/requantize.h"
#include "compiler/values/kernel.h"

namespace covenant::compiler::values {

struct PlanOptions {
  Requantization how = Requantization::kFloat;
  Simd simd = widest_simd();  ///< one that this processor has
  bool exact = false;         ///< no fast kernels: to compare with
};

/// One tensor of `images` images, one after the other, each row-major.
using Stack = std::span<const uint8_t>;
using MutableStack = std::span<uint8_t>;

class Plan {
 public:
  /// ONX0019 if the graph is not normalised.
  static Result<Plan> make(srdfg::Graph graph, const PlanOptions& options = {});

  const srdfg::Graph& graph() const { return *graph_; }
  /// Nodes that the reference operators compute, in order.
  std::vector<std::string> exact_nodes() const;

  /// Computes the values called so in `made`, each as large as `images` of its shape, of images whose inputs are
  /// `given`: all of the graph's. Any value of the graph that is no param may be asked for. Where a value that a node
  /// makes is given too, the nodes that read it are given that: each then answers for itself alone.
  /// At most `threads` threads (at least 1) compute one image each at a time. InternalError if a name or size is wrong.
  void run(size_t images, const std::map<std::string, Stack>& given, const std::map<std::string, MutableStack>& made,
           size_t threads) const;

 private:
  struct Step {
    Kernel kernel;
    std::vector<srdfg::ValueId> inputs;  ///< that are no params
    srdfg::ValueId output;
    bool is_exact = false;
    const srdfg::Node* node = nullptr;
  };
  class Image;

  std::shared_ptr<const srdfg::Graph> graph_;  ///< has a fixed address: exact kernels refer to it
  std::vector<Step> steps_;
  std::vector<size_t> last_use_;  ///< of each value: the step after which its memory is free
  size_t scratch_bytes_ = 0;
};

}  // namespace covenant::compiler::values
