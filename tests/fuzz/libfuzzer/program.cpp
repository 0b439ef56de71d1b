// A target of libFuzzer: whatever the bytes, the reader of program files gives a program or a diagnostic; a program is
// the same after it was written, and can be listed.
#include <cstdint>
#include <span>
#include <vector>

#include "acg/program/listing.h"
#include "acg/program/program_file.h"
#include "tests/fuzz/libfuzzer/section_mutator.h"
#include "tests/fuzz/libfuzzer/target.h"

namespace covenant::acg {
namespace {

void run(std::span<const uint8_t> bytes) {
  const Result<Program> program = read_program(bytes, "fuzz.cprog");
  if (!program) return fuzzing::expect_complete(program.error(), {"PRG", "ACG"});
  const std::vector<uint8_t> written = write_program(*program);
  const Result<Program> again = read_program(written, "again.cprog");
  if (!again) fuzzing::give_up(render(again.error()));
  if (!(*again == *program) || write_program(*again) != written) fuzzing::give_up("writing changes a program");
  disassemble(*program);
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
