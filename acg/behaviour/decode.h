/// Decoding: from a command to its instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/behaviour/behaviour.h"

namespace covenant::acg::behaviour {

/// An access of a host to a port, or a word of a stream.
struct Command {
  bool writes = true;
  uint64_t address = 0;
  std::vector<uint8_t> data;  ///< as many bytes as the port has; what is read has zeros
};

/// Bits of a command: its data, its address above, and on top whether it writes.
std::vector<uint8_t> bits_of(const Port& port, const Command& command);
/// `bits` bits from bit `at` on. Precondition: up to 64, within the bytes.
uint64_t extracted(const std::vector<uint8_t>& bytes, int64_t at, int64_t bits);

/// The instruction among these that takes a command; none if no one does.
std::optional<uint32_t> decoded(const Behaviour& behaviour, const std::vector<uint32_t>& among,
                                const std::vector<uint8_t>& bits);
/// BEH0030: no instruction takes the command. Names the one that fails the fewest of its tests.
Diagnostic not_decoded(const Behaviour& behaviour, const std::vector<uint32_t>& among, const Command& command,
                       const std::vector<uint8_t>& bits);
/// The command as text: `write 0x00400010 0102...`, the highest byte first.
std::string text_of(const Command& command);

/// Throws Failure BEH0007 if a command is two instructions, with one that is.
void check_decodes(const Behaviour& behaviour);

}  // namespace covenant::acg::behaviour
