#include "acg/behaviour/engine.h"

#include <fmt/format.h>

namespace covenant::acg::behaviour {

Diagnostic no_interrupt(const std::string& machine, uint64_t cycles) {
  return {"BEH0037",
          {},
          machine,
          "no interrupt within the cycles that it may take",
          fmt::format("{} cycles", cycles),
          {},
          "allow more cycles, or start the machine before"};
}

Result<std::vector<uint8_t>> Engine::command(std::string_view port, const Command& command) {
  if (Status ended = end_command(); !ended) return ended.error();
  if (Status begun = begin(port, command); !begun) return begun.error();
  if (Status ended = end_command(); !ended) return ended.error();
  return take_reply();
}

/// Cycles until no command is under way.
Status Engine::end_command() {
  while (is_busy()) {
    const Result<bool> goes_on = tick();
    if (!goes_on) return goes_on.error();
    if (!*goes_on && is_busy()) return deadlock();
  }
  return Done{};
}

Status Engine::wait_for_interrupt(uint64_t most_cycles) {
  const Result<bool> asks = run(most_cycles);
  if (!asks) return asks.error();
  return *asks ? Status(Done{}) : Status(no_interrupt(behaviour().machine, most_cycles));
}

}  // namespace covenant::acg::behaviour
