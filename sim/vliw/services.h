/// The services that `trap0(#1)` requests from the host: the system calls of Linux on Hexagon that bare-metal programs
/// use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "sim/vliw/core.h"

namespace covenant::sim::vliw {

/// r6 holds the number of the call, r0 to r5 its arguments, r0 its result.
class Services {
 public:
  /// `input`: what can be read from the standard input.
  explicit Services(std::string input = {}) : input_(std::move(input)) {}

  /// Executes the requested service. Fault SIM0085: no such service or call, or a file that is not open.
  void serve(Core& core, int32_t service);

  /// Set once the program has ended itself.
  const std::optional<int32_t>& exit_code() const { return exit_code_; }
  /// Text written to standard output and to standard error output.
  const std::string& output() const { return output_; }
  const std::string& errors() const { return errors_; }

 private:
  void read(Core& core);
  void write(Core& core);

  std::string input_;
  size_t taken_ = 0;  ///< bytes of the input that were read
  std::optional<int32_t> exit_code_;
  std::string output_;
  std::string errors_;
};

}  // namespace covenant::sim::vliw
