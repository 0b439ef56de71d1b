#include "tests/property/chains/counted_allocations.h"

#include <cstdlib>
#include <new>

namespace {

thread_local uint64_t count = 0;

}  // namespace

namespace covenant::test {

uint64_t allocations() { return count; }

}  // namespace covenant::test

void* operator new(size_t size) {
  ++count;
  if (void* made = std::malloc(size)) return made;
  throw std::bad_alloc{};
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*size*/) noexcept { std::free(memory); }
