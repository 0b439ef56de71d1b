#include "acg/program/code.h"

#include <algorithm>
#include <array>

#include "acg/base/check.h"
#include "acg/program/group_program.h"
#include "acg/program/packet_program.h"

namespace covenant::acg {
namespace {

/// A machine has the first kind that is its own; words in groups are every other machine's.
constexpr std::array<const CodeKind*, 2> kCodes{&kPacketCode, &kGroupCode};

}  // namespace

const CodeKind& code_of(const Machine& machine) {
  const auto found = std::ranges::find_if(kCodes, [&](const CodeKind* code) { return code->is_of(machine); });
  check(found != kCodes.end(), "a machine without a kind of code");
  return **found;
}

}  // namespace covenant::acg
