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

Diagnostic no_end(const std::string& machine, const Command& command, uint64_t cycles) {
  return {"BEH0037",
          {},
          machine,
          "a command does not end within the cycles that it may take",
          fmt::format("{}, {} cycles", text_of(command), cycles),
          {},
          "allow more cycles (--max-cycles), or let its update take fewer"};
}

Diagnostic unwanted(const std::string& machine, const SourceLocation& place) {
  const bool is_half_done = place.line != 0;
  return {"BEH0055",
          place,
          machine,
          is_half_done ? "the machine was ended within a cycle" : "the machine was ended before its end",
          "",
          {},
          is_half_done ? "open it again" : "go on with it: it is as after its last cycle"};
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

Result<std::vector<uint8_t>> Engine::command(std::string_view port, const Command& command, uint64_t most_cycles) {
  const Result<bool> is_free = end_command(0);
  if (!is_free) return is_free.error();
  if (!*is_free && given_up_) return *given_up_;
  given_up_.reset();
  const uint64_t first = cycles();
  const auto end = [&]() -> Status {
    const Result<bool> has_ended = end_command(most_cycles - (cycles() - first));
    if (!has_ended) return has_ended.error();
    if (*has_ended) return Done{};
    return given_up_.emplace(no_end(behaviour().machine, command, most_cycles));
  };
  if (Status ended = end(); !ended) return ended.error();
  if (Status begun = begin(port, command); !begun) return begun.error();
  if (Status ended = end(); !ended) return ended.error();
  return take_reply();
}

bool Engine::is_wanted() {
  if (unasked_ < kMostUnasked) return true;
  unasked_ = 0;
  return !goes_on_ || goes_on_();
}

Status Engine::wait_for_interrupt(uint64_t most_cycles) {
  const Result<bool> asks = run(most_cycles);
  if (!asks) return asks.error();
  return *asks ? Status(Done{}) : Status(no_interrupt(behaviour().machine, most_cycles));
}

}  // namespace covenant::acg::behaviour
