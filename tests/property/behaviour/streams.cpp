#include "tests/property/behaviour/streams.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace covenant::acg::testing {
namespace {

using behaviour::Behaviour;
using behaviour::BitTest;
using behaviour::Command;
using behaviour::Elements;
using behaviour::Engine;
using behaviour::Instruction;
using behaviour::Port;
using Random = std::mt19937_64;
using Bits = std::vector<uint8_t>;

bool one_in(Random& random, uint64_t count) { return random() % count == 0; }

/// Small numbers more often than others: programs that do something have them.
uint64_t number(Random& random) {
  switch (random() % 8) {
    case 0:
      return random();
    case 1:
      return random() % 256;
    case 2:
      return 16 * (random() % 16);
    case 3:
      return 0;
    default:
      return random() % 4;
  }
}

void put(Bits& bits, int64_t at, int64_t count, uint64_t value) {
  for (int64_t i = 0; i < count; ++i) {
    const auto byte = static_cast<size_t>((at + i) / 8);
    const auto mask = static_cast<uint8_t>(1U << ((at + i) % 8));
    bits[byte] = static_cast<uint8_t>(((value >> i) & 1U) != 0 ? bits[byte] | mask : bits[byte] & ~mask);
  }
}

/// Bits that the instruction takes.
Bits encoded(const Behaviour& behaviour, const Instruction& instruction, Random& random) {
  const Port& port = behaviour.ports[instruction.port];
  Bits bits(static_cast<size_t>((port.data_bits + port.address_bits + 8) / 8));
  if (one_in(random, 4)) {
    for (uint8_t& byte : bits) byte = static_cast<uint8_t>(random());
  }
  for (const behaviour::Field& field : instruction.fields) {
    const behaviour::Type& type = field.variable.type;
    for (int64_t i = 0; i < type.elements(); ++i) put(bits, field.at + i * type.bits, type.bits, number(random));
  }
  for (const BitTest& test : instruction.decode) {
    const uint64_t width = test.high - test.low;
    const uint64_t offset = one_in(random, 8) ? random() : test.bits > 16 ? 16 * (random() % 64) : random();
    put(bits, test.at, test.bits, test.low + (width == ~uint64_t{0} ? offset : std::min(width, offset % (width + 1))));
  }
  return bits;
}

Command command_of(const Port& port, const Bits& bits) {
  Command command;
  command.data.assign(bits.begin(), bits.begin() + port.data_bits / 8);
  command.address = port.address_bits == 0 ? 0 : behaviour::extracted(bits, port.data_bits, port.address_bits);
  command.writes = behaviour::extracted(bits, port.data_bits + port.address_bits, 1) != 0;
  return command;
}

using Words = std::vector<const Instruction*>;

/// Instructions of streams whose words are as wide as the data of a port.
Words words_for(const Behaviour& behaviour, const Port& port) {
  Words words;
  for (const Instruction& one : behaviour.instructions) {
    const Port& other = behaviour.ports[one.port];
    if (other.is_stream && other.data_bits == port.data_bits) words.push_back(&one);
  }
  return words;
}

/// A command that is an instruction, whose data may be a word of a stream.
Action drawn_action(const Behaviour& behaviour, const Instruction& instruction, Random& random) {
  const Port& port = behaviour.ports[instruction.port];
  Action action{Action::Kind::kCommand, port.name, command_of(port, encoded(behaviour, instruction, random)), 0};
  const Words words = words_for(behaviour, port);
  Command& command = action.command;
  if (!command.writes) std::fill(command.data.begin(), command.data.end(), uint8_t{0});
  if (command.writes && !words.empty() && one_in(random, 2)) {
    const Bits word = encoded(behaviour, *words[random() % words.size()], random);
    std::copy_n(word.begin(), command.data.size(), command.data.begin());
  }
  return action;
}

/// Whether commands of many addresses are this instruction: they reach a memory.
bool is_of_memory(const Behaviour& behaviour, const Instruction& instruction) {
  const Port& port = behaviour.ports[instruction.port];
  return std::any_of(instruction.decode.begin(), instruction.decode.end(),
                     [&](const BitTest& test) { return test.at == port.data_bits && test.high - test.low > 256; });
}

void run(std::vector<Action>& actions, Random& random, uint64_t most) {
  actions.push_back({Action::Kind::kRun, {}, {}, random() % most});
}

/// Most instructions of a port in the order of the text, so that what they set up may be done.
void set_up(const Behaviour& behaviour, Random& random, std::vector<Action>& actions) {
  for (const Instruction& one : behaviour.instructions) {
    const Port& port = behaviour.ports[one.port];
    if (port.is_stream || one_in(random, 6)) continue;
    Action action = drawn_action(behaviour, one, random);
    if (!action.command.writes) continue;
    if (!is_of_memory(behaviour, one)) {
      actions.push_back(std::move(action));
      continue;
    }
    const auto test = std::find_if(one.decode.begin(), one.decode.end(),
                                   [&](const BitTest& other) { return other.at == port.data_bits; });
    const uint64_t most = (test->high - test->low) / action.command.data.size() + 1;
    const uint64_t rows = std::min<uint64_t>(most, one_in(random, 2) ? 256 : random() % 64);
    for (uint64_t row = 0; row < rows; ++row) {
      action = drawn_action(behaviour, one, random);
      action.command.address = test->low + row * action.command.data.size();
      actions.push_back(std::move(action));
    }
  }
}

/// Anything that a host may do.
Action anything(const Behaviour& behaviour, const std::vector<const Instruction*>& own, Random& random) {
  Action action = drawn_action(behaviour, *own[random() % own.size()], random);
  const auto address_bits = [&] {
    for (const Port& port : behaviour.ports) {
      if (port.name == action.port) return port.address_bits;
    }
    return int64_t{1};
  };
  if (one_in(random, 16)) action.command.address = random() & ((uint64_t{1} << address_bits()) - 1);
  if (one_in(random, 64)) action.command.data.resize(random() % 40);
  if (one_in(random, 100)) action.port = "nowhere";
  action.cycles = one_in(random, 4) ? random() % 200 : random() % 8;
  action.is_bounded = one_in(random, 4);
  const uint64_t kind = random() % 16;
  action.kind = kind < 11   ? Action::Kind::kCommand
                : kind < 12 ? Action::Kind::kBegin
                : kind < 14 ? Action::Kind::kTick
                            : Action::Kind::kRun;
  return action;
}

}  // namespace

std::vector<Action> drawn_stream(const Behaviour& behaviour, Random& random, int count) {
  std::vector<const Instruction*> own;
  for (const Instruction& one : behaviour.instructions) {
    if (!behaviour.ports[one.port].is_stream) own.push_back(&one);
  }
  std::vector<Action> actions;
  if (!one_in(random, 4)) {
    set_up(behaviour, random, actions);
    run(actions, random, 300);
  }
  for (int i = 0; i < count; ++i) actions.push_back(anything(behaviour, own, random));
  if (one_in(random, 2)) set_up(behaviour, random, actions);
  run(actions, random, 1000);
  return actions;
}

std::string answer(Engine& engine, const Action& action) {
  const auto said = [](const auto& result) { return result ? fmt::format("{}", *result) : render(result.error()); };
  std::string text;
  if (action.kind == Action::Kind::kTick) {
    text = said(engine.tick());
  } else if (action.kind == Action::Kind::kRun) {
    text = said(engine.run(action.cycles));
  } else if (action.kind == Action::Kind::kBegin && !engine.is_busy()) {
    const Status begun = engine.begin(action.port, action.command);
    text = begun ? "begun" : render(begun.error());
  } else {
    const Result<std::vector<uint8_t>> reply =
        engine.command(action.port, action.command, action.is_bounded ? action.cycles : UINT64_MAX);
    if (!reply) {
      text = render(reply.error());
    } else {
      for (const uint8_t byte : *reply) text += fmt::format("{:02x}", byte);
    }
  }
  return text + fmt::format(" at {}{}", engine.cycles(), engine.is_busy() ? ", busy" : "");
}

std::string difference(const Engine& one, const Engine& other, int64_t most_bytes) {
  for (size_t i = 0; i < one.behaviour().states.size(); ++i) {
    const Elements &a = one.elements(i), &b = other.elements(i);
    const auto bytes = static_cast<size_t>(a.size() * a.width());
    if (static_cast<int64_t>(bytes) > most_bytes) continue;
    const bool is_same =
        a.size() == b.size() && std::memcmp(a.data(), b.data(), bytes) == 0 &&
        (a.written() == nullptr) == (b.written() == nullptr) &&
        (a.written() == nullptr || std::memcmp(a.written(), b.written(), static_cast<size_t>(a.size() / 8 + 1)) == 0);
    if (!is_same) return one.behaviour().states[i].name;
  }
  return {};
}

std::string text_of(const Action& action) {
  switch (action.kind) {
    case Action::Kind::kTick:
      return "a cycle";
    case Action::Kind::kRun:
      return fmt::format("{} cycles", action.cycles);
    default:
      return fmt::format("{} {}{}", action.port, behaviour::text_of(action.command),
                         action.kind == Action::Kind::kBegin ? ", begun" : "");
  }
}

}  // namespace covenant::acg::testing
