#include "acg/behaviour/engine.h"

#include <fmt/format.h>
#include <utility>

#include "acg/base/failure.h"

namespace covenant::acg::behaviour {

std::optional<std::string> waited_for(const Behaviour& behaviour, const Code& code) {
  switch (code.kind) {
    case CodeKind::kPop:
      return "an item in " + behaviour.queues[code.queue].name;
    case CodeKind::kPush:
      return "room in " + behaviour.queues[code.queue].name;
    case CodeKind::kWait:
      return "its condition";
    default:
      return std::nullopt;
  }
}

Diagnostic no_interrupt(const std::string& machine, uint64_t cycles) {
  return {"BEH0037",
          {},
          machine,
          "no interrupt within the cycles that it may take",
          fmt::format("{} cycles", cycles),
          {},
          "allow more cycles, or start the machine before"};
}

Diagnostic waits_for_ever(const Behaviour& behaviour, const std::vector<Standing>& all) {
  std::string waits;
  for (const auto& [name, code] : all) {
    const std::optional<std::string> what = waited_for(behaviour, *code);
    if (what) waits += fmt::format("{}{} at line {} for {}", waits.empty() ? "" : "; ", name, code->where.line, *what);
  }
  return {"BEH0036",
          {},
          behaviour.machine,
          "the machine waits for ever",
          waits,
          {},
          "let the program give what is waited for"};
}

Diagnostic no_port(const Behaviour& behaviour, std::string_view name) {
  std::vector<std::string> known;
  for (const Port& port : behaviour.ports) {
    if (!port.is_stream) known.push_back(port.name);
  }
  return {"BEH0031", {}, behaviour.machine, "no such port", std::string(name), std::move(known), ""};
}

void require_width(const Behaviour& behaviour, const Port& port, const Command& command) {
  const bool is_wide = port.address_bits < 64 && (command.address >> port.address_bits) != 0;
  const auto bytes = static_cast<size_t>(port.data_bits / 8);
  if (!is_wide && command.data.size() == bytes) return;
  throw Failure{{"BEH0031",
                 {},
                 behaviour.machine,
                 "a command of another width than the port's",
                 fmt::format("address {:#x}, {} bytes", command.address, command.data.size()),
                 {fmt::format("an address of {} bits, {} bytes", port.address_bits, bytes)},
                 "send commands of the port's width"}};
}

Diagnostic faulted(const Code& code, const std::string& activity) {
  return {"BEH0035", code.where, activity, code.text, "", {}, "the program has to keep from it"};
}

Result<std::vector<uint8_t>> Engine::command(std::string_view port, const Command& command) {
  if (Status ended = end_command(); !ended) return ended.error();
  if (Status begun = begin(port, command); !begun) return begun.error();
  if (Status ended = end_command(); !ended) return ended.error();
  return take_reply();
}

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
