/// Numbers of the frames of code: what they can be, and which of them outlive a cycle.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "acg/behaviour/behaviour.h"

namespace covenant::acg::behaviour::native {

/// A name of the frame: a number, or an array.
struct Slot {
  int64_t elements = 0;  ///< 0: a number
  Range range{};
  bool is_kept = false;  ///< from one cycle to another
};

using Slots = std::map<uint32_t, Slot>;

bool fits_32(const Range& range);
/// Bits of the C++ type of a number: 32 or 64.
inline int bits_for(const Range& range) { return fits_32(range) ? 32 : 64; }
/// The range of an expression; the reader gives none to the next number of a loop.
Range range_of(const Expression& expression);
/// The C++ type of an array's elements: the smallest that holds them.
std::string element_type(const Range& range);
/// The C++ type of the elements of a state or a queue, as they lie in memory.
std::string memory_type(const Type& type);
/// Bytes of one of them.
int64_t memory_bytes(const Type& type);

/// Slots that an expression reads from outside of itself.
void add_uses(const Expression& expression, std::set<uint32_t>& uses);
std::set<uint32_t> uses_of(const Code& code);
/// Places of the code at which a cycle may begin.
std::set<uint32_t> resumptions(const std::vector<Code>& code);
/// All slots of a list of code; `fields` are in its frame when it begins.
Slots slots_of(const Behaviour& behaviour, const std::vector<Code>& code, const std::vector<Field>& fields);

}  // namespace covenant::acg::behaviour::native
