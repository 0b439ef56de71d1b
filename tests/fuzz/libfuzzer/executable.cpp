// A target of libFuzzer: whatever the bytes, the reader of ELF files gives an executable or a diagnostic; an executable
// is the same after it was written, and can be listed.
#include <cstdint>
#include <span>

#include "acg/isa/vliw/elf_file.h"
#include "acg/isa/vliw/elf_listing.h"
#include "acg/lang/load.h"
#include "tests/fuzz/libfuzzer/target.h"

namespace covenant::acg {
namespace {

void run(std::span<const uint8_t> bytes, const Machine& machine) {
  const Result<ElfFile> file = read_elf(bytes);
  if (!file) return fuzzing::expect_complete(file.error(), {"ISA"});
  const Result<ElfFile> again = read_elf(elf_bytes(*file));
  if (!again) fuzzing::give_up(render(again.error()));
  if (!(*again == *file)) fuzzing::give_up("writing changes an executable");
  const Result<std::string> listing = disassemble_executable(*file, machine);
  if (!listing) fuzzing::give_up(render(listing.error()));
}

}  // namespace
}  // namespace covenant::acg

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const covenant::acg::Machine machine = *covenant::acg::load_machine("hvx");
  covenant::fuzzing::within_limit([&] { covenant::acg::run({data, size}, machine); });
  return 0;
}
