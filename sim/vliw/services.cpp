#include "sim/vliw/services.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "sim/common/fault.h"

namespace covenant::sim::vliw {
namespace {

constexpr int32_t kSystemCall = 1;
constexpr size_t kNumber = 6;  // register of the call's number
enum Call : uint32_t { kRead = 63, kWrite = 64, kExit = 93, kExitGroup = 94 };

}  // namespace

void Services::serve(Core& core, int32_t service) {
  if (service != kSystemCall) {
    raise("SIM0085", "no such service", fmt::format("trap0(#{})", service), {"trap0(#1)"}, "use a call of the system");
  }
  const uint32_t call = core.registers().scalars[kNumber];
  switch (call) {
    case kRead:
      return read(core);
    case kWrite:
      return write(core);
    case kExit:
    case kExitGroup:
      exit_code_ = static_cast<int32_t>(core.registers().scalars[0]);
      return;
    default:
      raise("SIM0085", "a call of the system that is not served", fmt::format("r6 = {}", call),
            {"63 (read)", "64 (write)", "93 (exit)", "94 (exit_group)"},
            "link the program without an operating system");
  }
}

/// Reads as much as there is; 0 at the end.
void Services::read(Core& core) {
  const auto& arguments = core.registers().scalars;
  if (arguments[0] != 0) {
    raise("SIM0085", "a file that is not open", fmt::format("r0 = {}", arguments[0]), {"0 (input)"},
          "read the standard input");
  }
  const size_t bytes = std::min<size_t>(arguments[2], input_.size() - taken_);
  if (bytes > 0) {
    uint8_t* const to = core.memory().at(arguments[1], static_cast<uint32_t>(bytes));
    core.memory().check_store(arguments[1], static_cast<uint32_t>(bytes));
    std::memcpy(to, &input_[taken_], bytes);
  }
  taken_ += bytes;
  core.registers().scalars[0] = static_cast<uint32_t>(bytes);
}

void Services::write(Core& core) {
  const auto& arguments = core.registers().scalars;
  const uint32_t file = arguments[0], address = arguments[1], bytes = arguments[2];
  if (file != 1 && file != 2) {
    raise("SIM0085", "a file that is not open", fmt::format("r0 = {}", file), {"1 (output)", "2 (errors)"},
          "write to the standard output");
  }
  std::string& to = file == 1 ? output_ : errors_;
  if (bytes > 0) to.append(reinterpret_cast<const char*>(core.memory().at(address, bytes)), bytes);
  core.registers().scalars[0] = bytes;
}

}  // namespace covenant::sim::vliw
