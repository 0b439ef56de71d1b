// A target of libFuzzer: whatever the bytes, the reader of programs of several parts gives them or a diagnostic; they
// are the same after they were written.
#include <cstdint>
#include <span>
#include <vector>

#include "acg/program/parts_file.h"
#include "tests/fuzz/libfuzzer/section_mutator.h"
#include "tests/fuzz/libfuzzer/target.h"

namespace covenant::acg {
namespace {

void run(std::span<const uint8_t> bytes) {
  const Result<ProgramParts> parts = read_parts(bytes, "fuzz.cprog");
  if (!parts) return fuzzing::expect_complete(parts.error(), {"PRG", "ACG"});
  const std::vector<uint8_t> written = write_parts(*parts);
  const Result<ProgramParts> again = read_parts(written, "again.cprog");
  if (!again) fuzzing::give_up(render(again.error()));
  if (!(*again == *parts) || write_parts(*again) != written) fuzzing::give_up("writing changes a program of parts");
  inputs_of(*parts);
  outputs_of(*parts);
}

}  // namespace
}  // namespace covenant::acg

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  covenant::fuzzing::within_limit([&] { covenant::acg::run({data, size}); });
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return covenant::fuzzing::mutate_sections(data, size, most, seed);
}
