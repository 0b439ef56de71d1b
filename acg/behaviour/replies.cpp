#include "acg/behaviour/replies.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/base/failure.h"

namespace covenant::acg::behaviour {

void require_room(const Expression& reply, int64_t bytes) {
  const int64_t width = bytes / reply.type.elements();
  if (width == 0) {
    throw Failure{{"BEH0004",
                   reply.where,
                   "reply",
                   "an array of more elements than the port has bytes",
                   fmt::format("{} elements", reply.type.elements()),
                   {fmt::format("up to {} elements", bytes)},
                   "reply with a part of it, chosen by the address"}};
  }
  const int64_t bits = std::min<int64_t>(8 * width, 63);
  const Range room{-(int64_t{1} << (bits - 1)), static_cast<int64_t>((uint64_t{1} << bits) - 1)};
  if (width >= 8 || room.holds(reply.range)) return;
  throw Failure{{"BEH0002",
                 reply.where,
                 "reply",
                 fmt::format("a value that may not fit {} bytes of the port", width),
                 fmt::format("{}..{}", reply.range.low, reply.range.high),
                 {fmt::format("{}..{}", room.low, room.high)},
                 "reply with its lowest bits: x[7:0]"}};
}

}  // namespace covenant::acg::behaviour
