#include "compiler/passes/route.h"

#include <algorithm>
#include <optional>
#include <set>

#include "acg/graph/queries.h"
#include "compiler/codelet/capability.h"
#include "compiler/codelet/nodes.h"
#include "compiler/codelet/paths.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/vector_sizes.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Constant;
using codelet::Loop;
using codelet::OperandType;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::SurrogateKind;

class Router {
 public:
  Router(const Codelet& source, const acg::Machine& machine)
      : routed_(source), machine_(machine), outermost_(acg::outermost_memory(machine)) {
    for (const Surrogate& surrogate : source.surrogates) names_.insert(surrogate.name);
  }

  Codelet run() {
    visit(routed_.body);
    return std::move(routed_);
  }

 private:
  void visit(std::vector<Operation>& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      std::vector<const Loop*> loops;
      Compute* compute = nest(body[i], loops);
      if (compute == nullptr) {
        if (auto* loop = std::get_if<Loop>(&body[i].op)) visit(loop->body);
        continue;
      }
      // Loops around the reduction also enclose the move: only those below it are repeated for the move.
      if (!loops.empty() && compute->destination.mentions(loops.front()->variable)) {
        visit(std::get<Loop>(body[i].op).body);
        continue;
      }
      if (!needs_move(*compute)) continue;
      Operation move = move_of(*compute, loops, body[i].where);
      body.insert(body.begin() + static_cast<std::ptrdiff_t>(++i), std::move(move));
    }
  }

  /// The compute at the bottom of a perfect loop nest, and its loops, outermost first. Null if there is none.
  static Compute* nest(Operation& operation, std::vector<const Loop*>& loops) {
    Operation* inner = &operation;
    while (auto* loop = std::get_if<Loop>(&inner->op)) {
      if (loop->body.size() != 1) return nullptr;
      loops.push_back(loop);
      inner = &loop->body.front();
    }
    return std::get_if<Compute>(&inner->op);
  }

  bool needs_move(const Compute& compute) const {
    const Surrogate* out = find_surrogate(routed_, compute.destination.surrogate);
    if (out == nullptr || out->kind != SurrogateKind::kOut) return false;
    const std::vector<OperandType> operands = codelet::operand_types(routed_, compute);
    const std::optional<Writer> writer = writer_of(compute.capability, out->dtype.value(), operands);
    if (!writer || leaves(*writer)) return false;
    const std::vector<acg::MemoryId> written = output_memories(machine_, writer->node, writer->bytes_at_once);
    const std::optional<Writer> mover = writer_of("MOVE", out->dtype.value(), {{out->dtype.value(), false}});
    if (written.empty() || !mover || !leaves(*mover)) return false;
    const std::vector<acg::MemoryId> readable = input_memories(machine_, mover->node, 0, mover->bytes_at_once);
    return std::any_of(written.begin(), written.end(), [&](acg::MemoryId memory) {
      return std::find(readable.begin(), readable.end(), memory) != readable.end();
    });
  }

  /// A node, and how much of a result it makes at once.
  struct Writer {
    acg::ComputeId node;
    uint64_t bytes_at_once = 0;
  };

  bool leaves(const Writer& writer) const {
    return path_from_node(machine_, writer.node, outermost_, writer.bytes_at_once).is_there;
  }

  /// The node that `map` will choose for this compute.
  std::optional<Writer> writer_of(const std::string& name, DType output,
                                  const std::vector<OperandType>& operands) const {
    const std::vector<acg::ComputeId> nodes = codelet::nodes_for(routed_, machine_, name, output, operands);
    if (nodes.empty()) return std::nullopt;
    const acg::Capability& capability =
        *codelet::find_capability(acg::get(machine_, nodes.front()), name, output, operands);
    return Writer{nodes.front(), packed_bytes(output, codelet::elements_of(capability.output.shape))};
  }

  /// Makes the compute write a local. Returns the operation that copies the local to the original destination.
  Operation move_of(Compute& compute, const std::vector<const Loop*>& loops, const SourceLocation& where) {
    const Surrogate out = *find_surrogate(routed_, compute.destination.surrogate);
    Surrogate local;
    local.kind = SurrogateKind::kLocal;
    local.name = fresh(out.name);
    local.shape = out.shape;
    local.dtype = out.dtype;
    Compute move;
    move.destination = compute.destination;
    move.capability = "MOVE";
    compute.destination.surrogate = local.name;
    move.operands.emplace_back(compute.destination);
    routed_.surrogates.push_back(std::move(local));
    Operation operation{std::move(move), where};
    for (size_t i = loops.size(); i-- > 0;) {
      if (!compute.destination.mentions(loops[i]->variable)) continue;
      operation = {Loop{loops[i]->variable, loops[i]->lower, loops[i]->upper, loops[i]->stride, {operation}}, where};
    }
    return operation;
  }

  /// `name` followed by the first number that makes it unique.
  std::string fresh(const std::string& name) {
    for (int i = 1;; ++i) {
      std::string candidate = name + "_sum" + (i == 1 ? "" : std::to_string(i));
      if (names_.insert(candidate).second) return candidate;
    }
  }

  Codelet routed_;
  const acg::Machine& machine_;
  acg::MemoryId outermost_;
  std::set<std::string> names_;
};

}  // namespace

Result<Codelet> route(const Codelet& source, const acg::Machine& machine) { return Router(source, machine).run(); }

}  // namespace covenant::compiler
