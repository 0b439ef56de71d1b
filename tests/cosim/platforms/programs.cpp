#include "tests/cosim/platforms/programs.h"

#include <fmt/format.h>
#include <stdexcept>
#include <string>

#include "acg/isa/vliw/packet.h"
#include "acg/lang/load.h"
#include "acg/program/code.h"
#include "acg/program/packet_program.h"
#include "compiler/driver/pipeline.h"
#include "fuzz/random_layer.h"
#include "runtime/session/image.h"
#include "sim/run/simulate.h"
#include "tests/cosim/platforms/manner.h"

namespace covenant::platforms {

namespace {

constexpr uint64_t kMostCycles = 4000;

template <class Value>
Value need(Result<Value> made) {
  if (!made) throw std::runtime_error(render(made.error()));
  return std::move(*made);
}

Work layer_of(Kind kind, uint64_t seed, uint64_t index) {
  const acg::Machine& machine = machine_of(kind);
  for (uint64_t attempt = 0;; ++attempt) {
    const runtime::RandomLayer layer = runtime::random_layer(seed, 1000 * index + attempt, machine);
    auto program = compiler::compile_graph(layer.graph, machine, layer.graph.name);
    if (!program) continue;  // too large for so small a machine
    Work work;
    work.before = need(runtime::image_of(*program, layer.inputs));
    work.base = acg::image_address(*program);
    if (work.base + work.before.size() > window_bytes(kind)) continue;
    work.after = work.before;
    work.cycles = need(sim::simulate(*program, work.after)).cycles;
    if (work.cycles > kMostCycles) continue;
    work.entry = acg::start_address(*program);
    work.program = std::move(*program);
    return work;
  }
}

std::vector<uint8_t> assembled(const acg::Machine& machine, const std::vector<std::string>& packets) {
  const acg::PacketCodec codec(machine);
  std::vector<uint8_t> bytes;
  for (const std::string& text : packets) {
    const auto packet = need(codec.assemble(text, acg::kImageAddress + static_cast<uint32_t>(bytes.size())));
    for (const acg::InstructionWord& word : need(codec.encode(packet))) {
      for (uint32_t i = 0; i < 4; ++i) bytes.push_back(word.byte(i));
    }
  }
  return bytes;
}

/// A packet that reads a line's word and the one that adds it lie apart by what is drawn.
Work copying(uint64_t seed, uint64_t index) {
  Work work;
  work.lines = static_cast<uint32_t>(4 + drawn(seed, index, 1) % 24);
  std::vector<std::string> packets{fmt::format("{{ r0 = ##{} }}", acg::kImageAddress + kFrom),
                                   fmt::format("{{ r1 = ##{} }}", acg::kImageAddress + kTo),
                                   fmt::format("{{ r4 = ##{} }}", acg::kImageAddress + kSums), "{ r3 = #0 }"};
  for (uint32_t line = 0; line < work.lines; ++line) {
    packets.insert(packets.end(), {"{ v0 = vmem(r0+#0) }", "{ r2 = memw(r0+#4) }"});
    for (uint64_t k = drawn(seed, index, 2, line) % 4; k > 0; --k) packets.emplace_back("{ r5 = add(r5,#1) }");
    packets.insert(packets.end(), {"{ r3 = add(r3,r2) }", "{ vmem(r1+#0) = v0 }", "{ memw(r4+#0) = r3 }",
                                   "{ r0 = add(r0,#128) }", "{ r1 = add(r1,#128) }", "{ r4 = add(r4,#4) }"});
  }
  packets.emplace_back("{ jumpr r31 }");
  work.before = assembled(machine_of(Kind::kCore), packets);
  work.before.resize(kCoreImageBytes);
  for (uint64_t byte = kFrom; byte < kCoreImageBytes; ++byte) {
    work.before[byte] = static_cast<uint8_t>(drawn(seed, index, 3, byte));
  }
  work.base = work.entry = acg::kImageAddress;
  work.program.machine = machine_of(Kind::kCore);
  return work;
}

acg::Machine made(Kind kind) {
  switch (kind) {
    case Kind::kGenesys:
      return need(acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}}));
    case Kind::kDnnweaver:
      return need(acg::load_machine("dnnweaver", {{"M", "4"}, {"N", "4"}, {"axi", "64"}}));
    default:
      return need(acg::load_machine("hvx"));
  }
}

}  // namespace

const char* name_of(Kind kind) {
  constexpr const char* kNames[] = {"genesys", "dnnweaver", "core"};
  return kNames[static_cast<size_t>(kind)];
}

const acg::Machine& machine_of(Kind kind) {
  static const acg::Machine machines[] = {made(Kind::kGenesys), made(Kind::kDnnweaver), made(Kind::kCore)};
  return machines[static_cast<size_t>(kind)];
}

uint64_t window_bytes(Kind kind) {
  return kind == Kind::kCore ? acg::kImageAddress + kCoreImageBytes : uint64_t{1} << 18U;
}

Work work_of(Kind kind, uint64_t seed, uint64_t index) {
  return kind == Kind::kCore ? copying(seed, index) : layer_of(kind, seed, index);
}

}  // namespace covenant::platforms
