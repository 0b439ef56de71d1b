/// The part of covenant_observer.sv that concerns one engine or the fetch unit, as it grows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace covenant::rtl {

/// Names of ports and nets get a prefix that tells the parts apart.
class ObserverPart {
 public:
  explicit ObserverPart(std::string prefix) : prefix_(std::move(prefix)) {}

  /// An input that only the body reads; its name.
  std::string input(uint64_t bits, const std::string& name, const std::string& net);
  /// An input that is read from outside as it is.
  void shown(uint64_t bits, const std::string& name, const std::string& net);
  /// A net of the body that is read from outside; its name.
  std::string made(uint64_t bits, const std::string& name);
  /// Makes `write_tag`: for each column the command whose step stood at `valid` so many cycles ago; `end` marks the
  /// last step of a command.
  void add_tags(const std::string& signal, uint64_t cycles, uint64_t columns, const std::string& valid,
                const std::string& end);

  std::string ports;
  std::string body;
  std::string binds;  ///< what the ports are connected to in the top

 private:
  std::string declare(uint64_t bits, const std::string& name, const std::string& net, std::string_view comment);

  std::string prefix_;
};

/// The prefix of an engine's part.
std::string observer_prefix(uint32_t engine);
/// A net of an engine's part in C++, by the name that Verilator gives it.
std::string observer_net(uint32_t engine, std::string_view name);

}  // namespace covenant::rtl
