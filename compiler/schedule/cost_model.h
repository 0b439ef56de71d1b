/// What the shared search asks of a family of machines: which schedules it can follow, and what they cost.
#pragma once

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

class CostModel {
 public:
  virtual ~CostModel() = default;

  /// Whether a tiled codelet becomes words: what the limits of loops and tiles cannot say of several computes together.
  /// Errors: those of the family's code generation that are about one codelet.
  virtual Status check_emittable(const codelet::Codelet& tiled) const = 0;
};

}  // namespace covenant::compiler
