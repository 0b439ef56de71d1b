/// Number of allocations of a thread: the same on every run and computer, unlike seconds.
#pragma once

#include <cstdint>

namespace covenant::test {

/// Allocations of this thread since it began. Linking this in replaces the global operators new and delete.
uint64_t allocations();

}  // namespace covenant::test
