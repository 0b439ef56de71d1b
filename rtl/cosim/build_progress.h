/// How the build of a Verilated model reports its progress, and how it is ended.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace covenant::rtl {

/// Called before each step of a build ("verilating", "compiling") with the number of steps done and their total, and
/// again and again while it runs; not called if nothing is built. If it returns false, the build ends within a tenth of
/// a second and leaves nothing behind.
using BuildProgress = std::function<bool(const std::string& step, uint32_t done, uint32_t steps)>;

}  // namespace covenant::rtl
