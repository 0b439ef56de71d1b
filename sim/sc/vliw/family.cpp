#include "sim/sc/vliw/family.h"

#include <fmt/format.h>

#include "acg/base/failure.h"
#include "acg/program/packet_program.h"
#include "sim/common/fault.h"
#include "sim/common/supported.h"
#include "sim/sc/vliw/core_runner.h"
#include "sim/sc/vliw/simulate_packets.h"

namespace covenant::sim {
namespace {

/// Everything is made anew for each run.
class PacketModel : public ProgramModel {
 public:
  explicit PacketModel(const acg::Program& program) : program_(program) {}

  SimulateResult run(std::vector<uint8_t>& memory, const SimulateOptions& options) override {
    return simulate_packets(program_, memory, options);
  }

  /// The time of packets hangs on the addresses that they make: their values are computed all the same.
  SimulateResult time(const std::vector<uint8_t>& memory, const SimulateOptions& options) override {
    std::vector<uint8_t> copy = memory;
    return simulate_packets(program_, copy, options);
  }

 private:
  const acg::Program& program_;
};

void check_runnable(const acg::Machine& machine) {
  if (const Status supported = check_supported(machine); !supported) throw Failure{supported.error()};
  std::vector<vliw::Contexts::Start> one(1);
  const vliw::Contexts core(machine, std::move(one));
}

}  // namespace

constinit const Family kVliwFamily{
    .name = "vliw",
    .owns = &acg::issues_packets,
    .check_runnable = &check_runnable,
    .make_model = [](const acg::Program& program) -> std::unique_ptr<ProgramModel> {
      return std::make_unique<PacketModel>(program);
    },
    .make_runner = [](const acg::Machine& machine,
                      const sc::RunnerOptions& options) -> std::unique_ptr<sc::ProgramRunner> {
      if (options.outstanding > 0) {
        raise("SIM0092", "a machine that issues packets has no RTL, so no AXI masters with bursts under way",
              fmt::format("outstanding = {}", options.outstanding), {"0"}, "leave it out");
      }
      return std::make_unique<sc::CoreRunner>(machine, options.first_port);
    },
    .simulate_together = &simulate_packets_together};

}  // namespace covenant::sim
