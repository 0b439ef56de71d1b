/// How often a thread has asked for memory: the same on every run and computer, where seconds are not.
#pragma once

#include <cstdint>

namespace covenant::test {

/// Of this thread, since it began. Linking this in replaces the global operators new and delete.
uint64_t allocations();

}  // namespace covenant::test
