#include "acg/base/failure.h"
#include "sim/sc/core_runner.h"
#include "sim/sc/engines_runner.h"
#include "sim/stream/simulation.h"
#include "sim/stream/supported.h"

namespace covenant::sim::sc {

void check_runnable(const acg::Machine& machine) {
  if (const Status supported = check_supported(machine); !supported) throw Failure{supported.error()};
  if (machine.packet.slots == 0) return check_machine(machine);
  std::vector<vliw::Contexts::Start> one(1);
  const vliw::Contexts core(machine, std::move(one));
}

std::unique_ptr<ProgramRunner> make_runner(const acg::Machine& machine, uint32_t first_port) {
  check_runnable(machine);
  if (machine.packet.slots > 0) return std::make_unique<CoreRunner>(machine, first_port);
  return std::make_unique<EnginesRunner>(machine, first_port);
}

}  // namespace covenant::sim::sc
