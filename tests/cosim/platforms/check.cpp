#include "tests/cosim/platforms/check.h"

#include "tests/cosim/platforms/comparison.h"
#include "tests/cosim/platforms/simulation.h"

namespace covenant::platforms {

Checked check_scenario(uint64_t seed, uint64_t number) {
  const Scenario scenario = draw(seed, number);
  Checked checked;
  checked.text = scenario.text();
  checked.is_timed = scenario.is_timed;
  const auto add = [&](const std::vector<std::string>& more) {
    checked.wrong.insert(checked.wrong.end(), more.begin(), more.end());
  };
  const Side side = scenario.shares ? Side::kModel : Side::kBehindMasters;
  const Simulated model = simulate(scenario, side);
  const Simulated rtl = simulate(scenario, Side::kRtl);
  add(wrong_in(scenario, side, model));
  add(wrong_in(scenario, Side::kRtl, rtl));
  add(differences(scenario, model, rtl));
  checked.bursts = model.bursts + rtl.bursts;
  for (size_t device = 0; device < scenario.devices.size(); ++device) {
    for (size_t run = 0; run < rtl.runs[device].size(); ++run) {
      const Outcome& outcome = rtl.runs[device][run];
      ++checked.runs;
      if (scenario.devices[device].kind != Kind::kCore) checked.cycles += outcome.cycles;
      if (scenario.devices[device].runs[run].act != Act::kNothing && outcome.is_marked) ++checked.acts;
    }
  }
  return checked;
}

}  // namespace covenant::platforms
