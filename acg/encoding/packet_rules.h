/// The packet rules of a machine that issues several words together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace covenant::acg {

/// One per machine. `slots = 0`: the machine issues one word at a time and has no packets.
///
/// Every word of a machine with packets holds parse bits, the letter `parse` of its encodings: `more` in a word that
/// another one follows, `last` in the last one. `loop_end` replaces `more` in the first word of a packet that ends the
/// inner hardware loop, and in the second word of one that ends the outer loop.
struct PacketRules {
  uint32_t slots = 0;              ///< instructions that may issue together
  uint32_t words = 0;              ///< words of the longest packet
  uint32_t interval = 1;           ///< least clock cycles from one packet to the next
  std::vector<std::string> pipes;  ///< units that an instruction may occupy in the cycle of its issue, at most 32
  std::string parse;               ///< letter of the parse bits
  uint32_t more = 0;
  uint32_t last = 0;
  uint32_t loop_end = 0;
  bool operator==(const PacketRules&) const = default;
};

}  // namespace covenant::acg
