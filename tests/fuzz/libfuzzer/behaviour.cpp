// A target of libFuzzer: whatever the text, the reader of behaviours gives one or a diagnostic. A behaviour becomes
// C++, always the same, and the evaluator takes commands that its instructions decode.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "acg/base/diagnostic.h"
#include "acg/behaviour/evaluator.h"
#include "acg/behaviour/load.h"
#include "acg/behaviour/native/emit.h"
#include "acg/lang/load.h"
#include "tests/fuzz/libfuzzer/target.h"

namespace covenant::acg::behaviour {
namespace {

constexpr int64_t kMostElements = 1 << 20;  // of state: what a text may ask for is more than a run has
constexpr uint64_t kMostWork = 1 << 18;     // statements and terms, of all commands
constexpr int kMostCycles = 100;            // that a command may take

void expect_complete(const Diagnostic& said) { fuzzing::expect_complete(said, {"BEH", "ACG"}); }

/// Includes what the machines of the repository include, and no files of the computer.
Result<lang::IncludedText> known_include(const std::string& from, const std::string& written) {
  constexpr std::array<std::string_view, 3> kKnown{"adaptivfloat.acg", "fixed_point.acg", "piecewise.acg"};
  return std::ranges::find(kKnown, written) == kKnown.end() ? lang::no_includes(from, written)
                                                            : read_include("", written);
}

bool is_small(const Behaviour& behaviour) {
  int64_t elements = 0;
  for (const State& state : behaviour.states) {
    if (state.type.elements() > kMostElements) return false;
    elements += state.type.elements();
  }
  return elements <= kMostElements;
}

/// A command that passes the tests: all ones where they do not ask for other bits, or zeros.
Command command_of(const Port& port, const Instruction& instruction, bool has_ones) {
  const int64_t data = port.data_bits, end = data + port.address_bits;
  Command made{false, 0, std::vector<uint8_t>(static_cast<size_t>(data / 8), has_ones ? 0xff : 0)};
  if (has_ones) made.address = port.address_bits > 63 ? ~uint64_t{0} : (uint64_t{1} << port.address_bits) - 1;
  for (const BitTest& test : instruction.decode) {
    for (int64_t i = 0; i < test.bits; ++i) {
      const bool is_set = ((test.low >> i) & 1U) != 0;
      const int64_t at = test.at + i;
      if (at == end) made.writes = is_set;
      if (at >= end) continue;
      const auto mask = uint64_t{1} << (at < data ? at % 8 : at - data);
      uint64_t kept = at < data ? made.data[static_cast<size_t>(at / 8)] : made.address;
      kept = is_set ? kept | mask : kept & ~mask;
      (at < data ? void(made.data[static_cast<size_t>(at / 8)] = static_cast<uint8_t>(kept))
                 : void(made.address = kept));
    }
  }
  if (!made.writes) std::ranges::fill(made.data, uint8_t{0});
  return made;
}

/// Whether the machine can take another command.
bool takes(Evaluator& machine, const std::string& port, const Command& command) {
  if (const Status begun = machine.begin(port, command); !begun) {
    expect_complete(begun.error());
    return true;
  }
  for (int cycle = 0; cycle < kMostCycles && machine.work() < kMostWork; ++cycle) {
    const Result<bool> goes_on = machine.tick();
    if (!goes_on) {
      expect_complete(goes_on.error());
      return false;
    }
    if (!*goes_on) expect_complete(machine.deadlock());
    if (!machine.is_busy()) break;
  }
  if (const Result<bool> asks = machine.is_interrupted(); !asks) expect_complete(asks.error());
  machine.take_reply();
  return !machine.is_busy() && machine.work() < kMostWork;
}

void drive(const Behaviour& behaviour) {
  Evaluator machine(behaviour);
  for (const bool has_ones : {false, true}) {
    for (const Instruction& instruction : behaviour.instructions) {
      const Port& port = behaviour.ports[instruction.port];
      if (!port.is_stream && !takes(machine, port.name, command_of(port, instruction, has_ones))) return;
    }
  }
}

void run(const std::string& text) {
  const Result<Behaviour> read = parse_behaviour(text, "fuzz.acg", {}, {}, known_include);
  if (!read) return expect_complete(read.error());
  if (native::emit(*read) != native::emit(*read)) fuzzing::give_up("the C++ of a behaviour is now this, now that");
  if (is_small(*read)) drive(*read);
}

}  // namespace
}  // namespace covenant::acg::behaviour

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  covenant::fuzzing::within_limit(
      [&] { covenant::acg::behaviour::run(std::string(reinterpret_cast<const char*>(data), size)); });
  return 0;
}
