#include "compiler/target/vliw/target.h"

#include "acg/base/check.h"

namespace covenant::compiler::vliw {
namespace {

class VliwTarget : public Target {
 public:
  explicit VliwTarget(const acg::Machine& machine) : machine_(machine) {}

  Status check_supported() const override {
    return Diagnostic{"GEN0016",
                      {},
                      "machine " + machine_.name,
                      "no codelet becomes packets: models cannot be compiled for a machine that issues them",
                      machine_.name,
                      {"machines of systolic arrays and SIMD arrays, such as genesys"},
                      "run an executable of another compiler on it (covenant run FILE.elf), or choose another machine"};
  }

  const CostModel& costs() const override { fail("costs of a machine that is refused"); }

  Result<acg::Program> emit(const Network& /*network*/, const std::vector<codelet::Codelet>& /*tiled*/,
                            const std::string& /*model*/, const StageReport& /*report*/) const override {
    fail("code for a machine that is refused");
  }

 private:
  const acg::Machine& machine_;
};

}  // namespace

bool is_of_family(const acg::Machine& machine) { return machine.packet.slots > 0; }

std::unique_ptr<Target> make_target(const acg::Machine& machine) { return std::make_unique<VliwTarget>(machine); }

}  // namespace covenant::compiler::vliw
