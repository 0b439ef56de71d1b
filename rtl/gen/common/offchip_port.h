/// A port of off-chip memory: its numbers, and the signals of the top that it consists of
/// (docs/reference/off-chip-port.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace covenant::rtl {

struct OffchipPort {
  bool writes = false;
  uint32_t memory = 0;      ///< off-chip, index in Machine::memories
  uint32_t latency = 0;     ///< cycles from a request to its answer, memory and edge together
  uint32_t places = 0;      ///< most beats and posts in progress
  uint32_t beat_bytes = 0;  ///< bytes of a beat
  uint32_t stages = 0;      ///< of a port that writes: cycles from a beat of its unit to the port
};

/// Places with which no beat waits for one while memory answers in time.
uint32_t places_for(uint32_t latency);

/// Its signals, named from the machine's side. In the top they follow the signal name of their unit and `_`.
std::span<const std::string_view> port_signals(bool writes);

/// The port's declaration in the top, each signal on a line of its own that ends in a comma.
std::string declare_port(const OffchipPort& port, const std::string& signal);

}  // namespace covenant::rtl
