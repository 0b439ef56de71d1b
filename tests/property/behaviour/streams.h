/// Streams of commands drawn for any machine: legal ones, illegal ones, and out of order.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "acg/behaviour/engine.h"

namespace covenant::acg::testing {

/// A thing that a host does.
struct Action {
  enum class Kind : uint8_t { kCommand, kBegin, kTick, kRun };
  Kind kind = Kind::kCommand;
  std::string port;
  behaviour::Command command;
  uint64_t cycles = 0;
  bool is_bounded = false;  ///< the command may take no more than these cycles
};

/// `count` actions. Words of a stream are among the data where a port is as wide as it.
std::vector<Action> drawn_stream(const behaviour::Behaviour& behaviour, std::mt19937_64& random, int count);

/// The answer of an engine to an action: its reply, its diagnostic or whether it goes on or asks.
std::string answer(behaviour::Engine& engine, const Action& action);
/// The first state of up to so many bytes that differs, or nothing: by its bytes, and by what has been written.
std::string difference(const behaviour::Engine& one, const behaviour::Engine& other, int64_t most_bytes);
/// The action as text.
std::string text_of(const Action& action);

}  // namespace covenant::acg::testing
