#include "compiler/target/vliw/program.h"

#include <array>

#include "acg/base/check.h"
#include "acg/isa/packet_program.h"
#include "compiler/codelet/packing.h"
#include "compiler/network/assemble.h"
#include "compiler/network/layer_results.h"
#include "compiler/target/vliw/allocate.h"
#include "compiler/target/vliw/lower.h"
#include "compiler/target/vliw/packets.h"
#include "compiler/target/vliw/place.h"
#include "compiler/target/vliw/scales.h"

namespace covenant::compiler::vliw {
namespace {

class CodeWriter {
 public:
  CodeWriter(const acg::Machine& machine, MemoryPlan& map) : machine_(machine), map_(map) {}

  Result<std::vector<uint8_t>> write(std::vector<PlacedLayer>& layers) {
    for (PlacedLayer& placed : layers) {
      const Result<std::vector<PacketStep>> steps = steps_of(placed);
      if (!steps) {
        Diagnostic said = steps.error();
        said.subject = placed.layer.layer.name;
        return said;
      }
      const uint64_t first = words();
      append(*steps);
      placed.block.first_word = first;
      placed.block.words = words() - first;
    }
    append({CodePacket{{{{operation_of(acg::VliwOperation::kJ2Jumpr), {acg::kReturnRegister}}}}}});
    return std::move(code_);
  }

 private:
  uint64_t words() const { return code_.size() / machine_.word_bytes(); }

  void append(const std::vector<PacketStep>& steps) {
    // Ways are relative: it does not matter yet where the code will lie.
    const std::vector<uint8_t> bytes = bytes_of(placed(steps, machine_, static_cast<uint32_t>(code_.size())), machine_);
    code_.insert(code_.end(), bytes.begin(), bytes.end());
  }

  Result<std::vector<PacketStep>> steps_of(const PlacedLayer& placed) {
    std::map<std::string, uint32_t> addresses;
    for (const auto& [name, address] : placed.addresses) {
      addresses[name] = acg::kImageAddress + static_cast<uint32_t>(address);
    }
    for (const auto& [name, constant] : placed.layer.constants) {
      const codelet::Surrogate& surrogate = surrogate_named(placed.scheduled, name);
      if (surrogate.dtype != DType::kF32) continue;
      const std::vector<uint8_t> scales = codelet::to_packed(surrogate, constant.data);
      const Result<uint64_t> address =
          add_scales(placed.layer.layer.name + "/" + name, fractions_of(scales, shift_of(placed.scheduled, name)));
      if (!address) return address.error();
      addresses[name] = acg::kImageAddress + static_cast<uint32_t>(*address);
    }
    const Result<Code> code = lowered(placed.scheduled, machine_, addresses, placed.layer.views);
    if (!code) return code.error();
    return in_registers(*code);
  }

  /// The faster the code is, the more values it has at once: what does not fit is made slower.
  Result<std::vector<PacketStep>> in_registers(const Code& code) const {
    const std::vector<acg::Register> kept{{acg::RegisterFile::kScalar, acg::kReturnRegister}};
    Result<std::vector<PacketStep>> steps = allocated(packets_of(code, machine_), machine_, kept);
    constexpr std::array<PacketOptions, 4> kSlower{{{.await = false},
                                                    {.overtake = false},
                                                    {.overtake = false, .await = false},
                                                    {.pipeline = false, .overtake = false}}};
    for (const PacketOptions& options : kSlower) {
      if (steps) break;
      steps = allocated(packets_of(code, machine_, options), machine_, kept);
    }
    return steps;
  }

  /// Beside the constant itself, which says what the codelet means.
  Result<uint64_t> add_scales(const std::string& segment, std::vector<uint8_t> fractions) {
    const uint64_t size = fractions.size();
    return map_.add(segment + ".fixed", acg::SegmentKind::kConstant, size, std::move(fractions));
  }

  const acg::Machine& machine_;
  MemoryPlan& map_;
  std::vector<uint8_t> code_;
};

}  // namespace

Result<acg::Program> make_program(const Network& network, const std::vector<codelet::Codelet>& tiled,
                                  const acg::Machine& machine, const std::string& model) {
  return assemble(network, tiled, machine, model, [&](std::vector<PlacedLayer>& layers, MemoryPlan& map) {
    return CodeWriter(machine, map).write(layers);
  });
}

}  // namespace covenant::compiler::vliw
