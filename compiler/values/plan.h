/// Computes the values of a model for many images: planned once, then run on all cores without looking at the model
/// again.
///
/// The values are those of the reference operators (compiler/reference), which are authoritative and also compute the
/// operators without a fast kernel. Nothing here depends on machines or time.
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
  Simd simd = widest_simd();  ///< instruction set; by default the widest of this processor
  bool exact = false;         ///< use no fast kernels, for comparison
};

/// One tensor of `images` images, one after the other, each row-major.
using Stack = std::span<const uint8_t>;
using MutableStack = std::span<uint8_t>;

class Plan {
 public:
  /// Error: ONX0019 if the graph is not normalised.
  static Result<Plan> make(srdfg::Graph graph, const PlanOptions& options = {});

  const srdfg::Graph& graph() const { return *graph_; }
  /// Names of the nodes that the reference operators compute, in order.
  std::vector<std::string> exact_nodes() const;

  /// Computes the values named in `made`, each as large as `images` of its shape, for the inputs in `given`, which
  /// holds all inputs of the graph. Any value of the graph that is not a param may be requested. If `given` also holds
  /// a value that a node makes, its readers get the given one: each node is then tested on its own. At most `threads`
  /// threads (at least 1) compute one image each at a time. InternalError if a name or size is wrong.
  void run(size_t images, const std::map<std::string, Stack>& given, const std::map<std::string, MutableStack>& made,
           size_t threads) const;

 private:
  struct Step {
    Kernel kernel;
    std::vector<srdfg::ValueId> inputs;  ///< inputs that are not params
    srdfg::ValueId output;
    bool is_exact = false;
    const srdfg::Node* node = nullptr;
  };
  class Image;

  std::shared_ptr<const srdfg::Graph> graph_;  ///< has a fixed address, since exact kernels refer to it
  std::vector<Step> steps_;
  std::vector<size_t> last_use_;  ///< per value: the step after which its memory is free
  size_t scratch_bytes_ = 0;
};

}  // namespace covenant::compiler::values
