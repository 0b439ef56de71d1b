/// The suite's programs for a core that issues packets.
#include <fmt/format.h>

#include "acg/isa/vliw/packet.h"
#include "acg/lang/load.h"
#include "acg/program/packet_program.h"
#include "tests/cosim/device/programs.h"

namespace covenant::driver::testing {
namespace {

constexpr uint64_t kImageBytes = 8192, kLineBytes = 128;
constexpr uint32_t kFrom = acg::kImageAddress + 2048, kTo = acg::kImageAddress + 4096;

const acg::Machine& core_machine() {
  static const acg::Machine machine = *acg::load_machine("hvx");
  return machine;
}

/// Its words, at the beginning of an image.
Short short_of(const acg::Machine& machine, std::vector<uint8_t> words) {
  Short made;
  made.program.machine = machine;
  made.program.memory_bytes = kImageBytes;
  made.image.resize(kImageBytes);
  std::copy(words.begin(), words.end(), made.image.begin());
  made.program.segments.push_back({"code", acg::SegmentKind::kInstructions, 0, words.size(), std::move(words)});
  return made;
}

}  // namespace

Short assembled(const acg::Machine& machine, const std::vector<std::string>& packets) {
  const acg::PacketCodec codec(machine);
  std::vector<uint8_t> bytes;
  for (const std::string& text : packets) {
    const auto packet = codec.assemble(text, acg::kImageAddress + static_cast<uint32_t>(bytes.size()));
    if (!packet) throw std::runtime_error(render(packet.error()));
    const auto words = codec.encode(*packet);
    if (!words) throw std::runtime_error(render(words.error()));
    for (const acg::InstructionWord& word : *words) {
      for (uint32_t i = 0; i < 4; ++i) bytes.push_back(word.byte(i));
    }
  }
  return short_of(machine, std::move(bytes));
}

namespace {

class OnCore : public Programs {
 public:
  const acg::Machine& machine() const override { return core_machine(); }
  uint64_t memory_bytes() const override { return 4 << 20; }
  const Sample& digits() const override {
    static const Sample digits = digits_on(core_machine());
    return digits;
  }
  uint64_t blocks_of(const acg::Program& /*program*/) const override { return 1; }
  Short copying(std::optional<uint32_t> to) const override {
    return assembled(machine(),
                     {fmt::format("{{ r0 = ##{} }}", kFrom), fmt::format("{{ r1 = ##{} }}", to.value_or(kTo)),
                      "{ v0 = vmem(r0+#0) }", "{ vmem(r1+#0) = v0 }", "{ jumpr r31 }"});
  }
  /// A line is loaded; the one that is stored as a whole stays in the cache.
  void expect_moved(const RunReport& report) const override {
    EXPECT_EQ(report.bytes_read, kLineBytes);
    EXPECT_EQ(report.bytes_written, 0U);
  }
  Short endless() const override {
    return assembled(machine(), {"{ nop }", fmt::format("{{ jump 0x{:x} }}", acg::kImageAddress)});
  }
  Short wrong() const override { return short_of(machine(), std::vector<uint8_t>(16, 0xFF)); }
  Short of_another_machine() const override {
    return assembled(*acg::load_machine("hvx", {{"l2_kib", "512"}}), {"{ jumpr r31 }"});
  }
  uint64_t misplaced_start() const override { return acg::kImageAddress + 2; }
  /// Its latency covers that of the banks.
  uint64_t least_delay() const override { return 0; }
  std::string storing() const override { return "CORE"; }
  std::string wronged() const override { return "CORE"; }
};

}  // namespace

const Programs& on_core() {
  static const OnCore programs;
  return programs;
}

}  // namespace covenant::driver::testing
