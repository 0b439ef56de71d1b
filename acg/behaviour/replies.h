/// Replies to a host: numbers and arrays in the bytes of a port.
#pragma once

#include <cstdint>

#include "acg/behaviour/code.h"

namespace covenant::acg::behaviour {

/// Throws Failure unless a port of so many bytes has room for a reply, whose elements share them: BEH0004 (more
/// elements than bytes), BEH0002 (an element may need more bits than its bytes have).
void require_room(const Expression& reply, int64_t bytes);

}  // namespace covenant::acg::behaviour
