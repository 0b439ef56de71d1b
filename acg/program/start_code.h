/// The code with which an executable of packets begins: it reads inputs, calls the program, and writes outputs.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/program/program.h"

namespace covenant::acg {

/// Exit code of an executable whose input ends too soon, or whose output is not taken: that of sysexits for both
/// (EX_IOERR).
inline constexpr uint32_t kTransferFailed = 74;

struct StartCode {
  uint32_t address = 0;   ///< of its first byte, in a page of its own: code for a transfer that fails
  uint32_t transfer = 0;  ///< routine that moves a tensor
  uint32_t entry = 0;     ///< where it begins
  std::vector<uint8_t> bytes;
};

/// The start of a program of packets, for the system calls of Linux on Hexagon. Inputs come from the standard input in
/// their order, each as it lies in memory, and outputs go to the standard output. Pipes give and take a part at a time:
/// every call is repeated until the tensor is whole.
StartCode start_code(const Program& program);

}  // namespace covenant::acg
