/// Behaviours of small machines for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acg/base/check.h"
#include "acg/base/diagnostic.h"
#include "acg/base/result.h"
#include "acg/behaviour/engine.h"
#include "acg/behaviour/evaluator.h"
#include "acg/behaviour/load.h"

namespace covenant::acg::testing {

/// A machine with a port of 16 address bits and 8 bytes, a state `x`, which address 1 writes and address 2 reads, and
/// more statements, which begin in line 9.
inline std::string commanded(std::string_view more) {
  std::string text = R"(acg small {
  param SIZE = 4;
  clock = 1 GHz;
  port bus { address = 16; data = 64; }
  stream words { data = 16; }
  state x : i16 = 5;
  instruction set on bus { fields { value : i16 at 0; } decode = write and address == 1; update { x = value; } }
  instruction get on bus { decode = read and address == 2; update { reply = x; } }
)";
  return text.append(more).append("\n}\n");
}

inline Result<behaviour::Behaviour> read_commanded(std::string_view more) {
  return behaviour::parse_behaviour(commanded(more), "small.acg");
}

/// The behaviour of `commanded(more)`, which has to be right.
inline behaviour::Behaviour with(std::string_view more) {
  Result<behaviour::Behaviour> read = read_commanded(more);
  check(static_cast<bool>(read), read ? "" : render(read.error()));
  return *std::move(read);
}

/// The lowest two bytes of what a read at `address` gives, as a signed number.
inline Result<int64_t> read_at(behaviour::Engine& machine, uint64_t address) {
  const Result<std::vector<uint8_t>> got = machine.command("bus", {false, address, std::vector<uint8_t>(8)});
  if (!got) return got.error();
  return static_cast<int64_t>(static_cast<int16_t>((*got)[0] | (*got)[1] << 8));
}

inline Status write_at(behaviour::Engine& machine, uint64_t address, int64_t value) {
  std::vector<uint8_t> data(8);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i));
  const Result<std::vector<uint8_t>> done = machine.command("bus", {true, address, data});
  return done ? Status(Done{}) : Status(done.error());
}

}  // namespace covenant::acg::testing
