#include "compiler/families/vliw/target.h"

#include "acg/base/check.h"
#include "acg/program/packet_program.h"
#include "compiler/families/vliw/cost_model.h"
#include "compiler/families/vliw/covered_constants.h"
#include "compiler/families/vliw/divided_constants.h"
#include "compiler/families/vliw/loop_order.h"
#include "compiler/families/vliw/narrow_inputs.h"
#include "compiler/families/vliw/ordered_constants.h"
#include "compiler/families/vliw/program.h"
#include "compiler/families/vliw/scalar_machine.h"
#include "compiler/families/vliw/unsigned_weights.h"
#include "compiler/tiled/tiled_target.h"

namespace covenant::compiler::vliw {
namespace {

class VliwTarget : public TiledTarget {
 public:
  VliwTarget(const acg::Machine& machine, const Optimisations& optimisations)
      : machine_(optimisations.vectorise ? machine : with_scalars_alone(machine)),
        optimisations_(optimisations),
        costs_(machine_) {}

  Status check_supported() const override { return Done{}; }

  Network prepared(Network network) const override {
    return with_unsigned_weights(with_narrow_inputs(std::move(network), machine_), machine_);
  }

  const CostModel& costs() const override { return costs_; }

  TilingLimits search_limits() const override { return {.smallest = turns_all_loops(), .remainders = true}; }

  Staged<acg::Program> emit(const Network& network, const std::vector<codelet::Codelet>& tiled,
                            const std::string& model, const StageReport& report) const override {
    std::vector<codelet::Codelet> prepared;
    for (size_t i = 0; i < tiled.size(); ++i) {
      const std::map<std::string, ConstantTensor>& constants = network.layers[i].constants;
      const codelet::Codelet ordered =
          turns_all_loops() ? with_longest_loops_inside(tiled[i]) : codelet::Codelet(tiled[i]);
      const codelet::Codelet divided = with_divided_constants(with_covered_constants(ordered, constants), constants);
      prepared.push_back(with_ordered_constants(divided, constants));
    }
    Staged<acg::Program> program = make_program(network, prepared, machine_, model, packet_options(), report);
    if (!program) return program;
    if (Staged<Done> status = report("assembly", stage_text(*program)); !status) return status.ended();
    return program;
  }

 private:
  /// True if all loops run. Code without vectors loads its operands for each use: tiles would gain nothing.
  bool turns_all_loops() const { return !optimisations_.unroll || !optimisations_.vectorise; }

  PacketOptions packet_options() const {
    return {.pack = optimisations_.pack, .pipeline = optimisations_.pipeline, .unroll = optimisations_.unroll};
  }

  acg::Machine machine_;  ///< what code may use of the machine
  Optimisations optimisations_;
  VliwCostModel costs_;
};

}  // namespace

bool is_of_family(const acg::Machine& machine) { return acg::issues_packets(machine); }

std::vector<std::string> stages() { return {"virtual", "packets"}; }

std::unique_ptr<Target> make_target(const acg::Machine& machine, const Optimisations& optimisations) {
  return std::make_unique<VliwTarget>(machine, optimisations);
}

}  // namespace covenant::compiler::vliw
