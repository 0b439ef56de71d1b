/// The interface between the compiler and a family of machines: a family turns a normalised graph into a program.
#pragma once

#include <string>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "compiler/families/options.h"
#include "compiler/network/staged.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

class TiledTarget;

/// A family is a folder beside this file and a row (compiler/families/family.h) of compiler/driver/families.h. One
/// whose programs are tiles of codelets is a TiledTarget (compiler/tiled/tiled_target.h) and shares all passes up to
/// fusion and tiling.
class Target {
 public:
  virtual ~Target() = default;

  /// Checks that the family's compiler and models support the machine. Errors: ACG0051 (it uses features that they do
  /// not support), GEN0060 (an optimisation is disabled that the family does not have).
  virtual Status check_supported() const = 0;

  /// The program of a graph, called `model`; reports its stages. Precondition: operators::verify_normalized(graph),
  /// check_supported.
  virtual Staged<acg::Program> compile(const srdfg::Graph& graph, const std::string& model,
                                       const CompileOptions& options) const = 0;

  /// The family as one of tiled codelets, or nothing: then it has no networks as text, no schedules, no user's codelets
  /// and no layers to explain, and the driver refuses them (GEN0031).
  virtual const TiledTarget* tiled() const { return nullptr; }
};

}  // namespace covenant::compiler
