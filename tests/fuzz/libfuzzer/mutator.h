/// libFuzzer's own mutations, for mutators that know the form of a file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

/// Changes bytes in their place; gives the new size, at most `most`. Part of libFuzzer.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace covenant::fuzzing {

/// The same seed draws the same mutation.
using Random = std::minstd_rand;

/// A number below `count`, which is not 0.
inline size_t below(Random& random, size_t count) { return random() % count; }

/// The bytes after one of libFuzzer's mutations.
inline std::string mutated_bytes(std::string bytes) {
  constexpr size_t kMostGrowth = 64;
  const size_t size = bytes.size();
  bytes.resize(size + kMostGrowth);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(bytes.data()), size, bytes.size()));
  return bytes;
}

/// Writes `bytes` to `data`, as mutators do; if they are more than `most`, mutates what is there instead.
inline size_t give(const std::string& bytes, uint8_t* data, size_t size, size_t most) {
  if (bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

/// A number of the kind that breaks readers: 0, an extreme of some type, a neighbour of `value`, or anything.
inline uint64_t mutated_number(uint64_t value, Random& random) {
  const uint64_t bit = uint64_t{1} << below(random, 64);
  switch (below(random, 6)) {
    case 0:
      return below(random, 3);
    case 1:
      return bit - below(random, 2);
    case 2:
      return ~bit;
    case 3:
      return value + 1;
    case 4:
      return value - 1;
    default:
      return value ^ bit;
  }
}

}  // namespace covenant::fuzzing
