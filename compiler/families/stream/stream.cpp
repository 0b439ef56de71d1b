#include "compiler/families/stream/stream.h"

#include "acg/base/check.h"
#include "compiler/codelet/verify.h"
#include "compiler/families/stream/cost_model.h"
#include "compiler/families/stream/double_buffer.h"
#include "compiler/families/stream/program.h"
#include "compiler/families/stream/supported.h"
#include "compiler/tiled/tiled_target.h"

namespace covenant::compiler::stream {
namespace {

using codelet::Codelet;

class StreamTarget : public TiledTarget {
 public:
  StreamTarget(const acg::Machine& machine, const Optimisations& optimisations)
      : machine_(machine), optimisations_(optimisations), costs_(machine) {}

  Status check_supported() const override {
    if (const std::vector<std::string> names = left_out(optimisations_); !names.empty()) {
      return Diagnostic{"GEN0060",
                        {},
                        machine_.name,
                        "the compiler has no such optimisation to leave out for this machine",
                        names.front(),
                        {},
                        "leave out the switch, or compile for a machine that issues packets"};
    }
    return compiler::check_supported(machine_);
  }

  const CostModel& costs() const override { return costs_; }

  Staged<acg::Program> emit(const Network& network, const std::vector<Codelet>& tiled, const std::string& model,
                            const StageReport& report) const override {
    std::vector<Codelet> buffered;
    for (size_t i = 0; i < tiled.size(); ++i) {
      Result<Codelet> made = double_buffer(tiled[i], machine_);
      if (!made) return about(network.layers[i], made.error());
      const Status verified = codelet::verify(*made, &machine_);
      check(static_cast<bool>(verified), "after double_buffer: " + (verified ? "" : render(verified.error())));
      buffered.push_back(std::move(*made));
    }
    if (Staged<Done> status = report("buffered", stage_text(network, buffered)); !status) return status.ended();
    if (const Status runnable = check_runnable(machine_); !runnable) return runnable.error();
    Staged<acg::Program> program = make_program(network, buffered, machine_, model);
    if (!program) return program;
    if (Staged<Done> status = report("assembly", stage_text(*program)); !status) return status.ended();
    return program;
  }

 private:
  static Diagnostic about(const NetworkLayer& layer, Diagnostic diagnostic) {
    diagnostic.subject = layer.layer.name;
    return diagnostic;
  }

  const acg::Machine& machine_;
  Optimisations optimisations_;
  StreamCostModel costs_;
};

}  // namespace

bool is_of_family(const acg::Machine& machine) { return machine.packet.slots == 0; }

std::unique_ptr<Target> make_target(const acg::Machine& machine, const Optimisations& optimisations) {
  return std::make_unique<StreamTarget>(machine, optimisations);
}

std::vector<std::string> stages() { return {"buffered"}; }

}  // namespace covenant::compiler::stream
