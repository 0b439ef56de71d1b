/// Mutates files of a JSON header and sections (docs/reference/program-file.md): sizes and checksums are mostly those
/// of what is there, so that readers come to what is behind them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace covenant::fuzzing {

/// Body of LLVMFuzzerCustomMutator.
size_t mutate_sections(uint8_t* data, size_t size, size_t most, unsigned seed);

}  // namespace covenant::fuzzing
