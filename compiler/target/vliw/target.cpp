#include "compiler/target/vliw/target.h"

#include "acg/base/check.h"
#include "compiler/target/vliw/cost_model.h"
#include "compiler/target/vliw/covered_constants.h"
#include "compiler/target/vliw/narrow_inputs.h"
#include "compiler/target/vliw/ordered_constants.h"
#include "compiler/target/vliw/program.h"
#include "compiler/target/vliw/unsigned_weights.h"

namespace covenant::compiler::vliw {
namespace {

class VliwTarget : public Target {
 public:
  explicit VliwTarget(const acg::Machine& machine) : machine_(machine), costs_(machine) {}

  Status check_supported() const override { return Done{}; }

  void prepare(Network& network) const override {
    use_narrow_inputs(network, machine_);
    use_unsigned_weights(network, machine_);
  }

  const CostModel& costs() const override { return costs_; }

  Result<acg::Program> emit(const Network& network, const std::vector<codelet::Codelet>& tiled,
                            const std::string& model, const StageReport& report) const override {
    std::vector<codelet::Codelet> covered;
    for (size_t i = 0; i < tiled.size(); ++i) {
      const std::map<std::string, ConstantTensor>& constants = network.layers[i].constants;
      covered.push_back(with_ordered_constants(with_covered_constants(tiled[i], constants), constants));
    }
    Result<acg::Program> program = make_program(network, covered, machine_, model, report);
    if (!program) return program.error();
    if (Status status = report("assembly", stage_text(*program)); !status) return status.error();
    return program;
  }

 private:
  const acg::Machine& machine_;
  VliwCostModel costs_;
};

}  // namespace

bool is_of_family(const acg::Machine& machine) { return machine.packet.slots > 0; }

std::vector<std::string> stages() { return {"virtual", "packets"}; }

std::unique_ptr<Target> make_target(const acg::Machine& machine) { return std::make_unique<VliwTarget>(machine); }

}  // namespace covenant::compiler::vliw
