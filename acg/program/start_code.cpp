#include "acg/program/start_code.h"

#include <fmt/format.h>
#include <initializer_list>
#include <string>
#include <string_view>

#include "acg/base/check.h"
#include "acg/encoding/word_text.h"
#include "acg/isa/vliw/packet.h"
#include "acg/program/packet_program.h"

namespace covenant::acg {
namespace {

constexpr uint32_t kStartAddress = 0x20000;
// File descriptors and system calls of the operating system. A call takes its number in r6 and its arguments in r0 to
// r2, and changes no register but r0, its result.
constexpr uint32_t kInput = 0, kOutput = 1, kRead = 63, kWrite = 64, kExit = 94;

/// Packets one after the other, each assembled where it lies.
class Code {
 public:
  explicit Code(const Machine& machine) : machine_(machine), codec_(machine) {}

  uint32_t here() const { return kStartAddress + static_cast<uint32_t>(bytes_.size()); }

  void add(std::string_view text) {
    const Result<Packet> packet = codec_.assemble(text, here());
    check(static_cast<bool>(packet), "the start of a program is assembled: " + std::string(text));
    const Result<std::vector<InstructionWord>> words = codec_.encode(*packet);
    check(static_cast<bool>(words), "the start of a program is encoded: " + std::string(text));
    for (const InstructionWord& word : *words) append_bytes(bytes_, word, machine_.word_bits);
  }

  /// Ends the process.
  void add_exit(uint32_t code) {
    add(fmt::format("{{ r0 = #{}; r6 = #{} }}", code, kExit));
    add("{ trap0(#1) }");
  }

  std::vector<uint8_t> taken() { return std::move(bytes_); }

 private:
  const Machine& machine_;
  PacketCodec codec_;
  std::vector<uint8_t> bytes_;
};

/// A routine that repeats the call r6 on file r5 until all r4 bytes from address r3 on are transferred; `failed`: code
/// for a call that transfers nothing.
void add_transfer(Code& code, uint32_t failed) {
  const uint32_t again = code.here();
  code.add("{ r0 = r5; r1 = r3 }");
  code.add("{ r2 = r4 }");
  code.add("{ trap0(#1) }");
  code.add("{ p0 = cmp.gt(r0,#0) }");
  code.add(fmt::format("{{ if (!p0) jump:nt 0x{:x} }}", failed));
  code.add("{ r3 = add(r3,r0); r4 = sub(r4,r0) }");
  code.add("{ p0 = cmp.gt(r4,#0) }");
  code.add(fmt::format("{{ if (p0) jump:nt 0x{:x} }}", again));
  code.add("{ jumpr r31 }");
}

}  // namespace

StartCode start_code(const Program& program) {
  Code code(program.machine);
  const uint32_t failed = code.here();
  code.add_exit(kTransferFailed);
  const uint32_t transfer = code.here();
  add_transfer(code, failed);
  const auto move = [&](const TensorBinding& tensor, uint32_t file, uint32_t call) {
    const uint64_t bytes = size_in_memory(tensor).value();
    if (bytes == 0) return;
    code.add(fmt::format("{{ r3 = ##{}; r5 = #{} }}", kImageAddress + tensor.address, file));
    code.add(fmt::format("{{ r4 = ##{}; r6 = #{} }}", bytes, call));
    code.add(fmt::format("{{ call 0x{:x} }}", transfer));
  };
  const uint32_t entry = code.here();
  for (const TensorBinding& tensor : program.inputs) move(tensor, kInput, kRead);
  code.add(fmt::format("{{ call 0x{:x} }}", kImageAddress + program.entry));
  for (const TensorBinding& tensor : program.outputs) move(tensor, kOutput, kWrite);
  code.add_exit(0);
  return {failed, transfer, entry, code.taken()};
}

}  // namespace covenant::acg
