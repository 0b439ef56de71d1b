#include "compiler/families/vliw/program.h"

#include <optional>

#include "acg/base/check.h"
#include "acg/program/packet_program.h"
#include "compiler/codelet/packing.h"
#include "compiler/emission/assemble.h"
#include "compiler/emission/layer_results.h"
#include "compiler/families/fixed_scales.h"
#include "compiler/families/vliw/address_assignment.h"
#include "compiler/families/vliw/allocate.h"
#include "compiler/families/vliw/lookup_tables.h"
#include "compiler/families/vliw/lower.h"
#include "compiler/families/vliw/lower_scalars.h"
#include "compiler/families/vliw/packetize.h"
#include "compiler/families/vliw/print.h"
#include "compiler/families/vliw/scalar_machine.h"

namespace covenant::compiler::vliw {
namespace {

constexpr size_t kScalesOfVector = 32;

/// The given options, followed by variants with fewer values alive at once: the fastest code first.
std::vector<PacketOptions> fastest_first(const PacketOptions& options) {
  std::vector<PacketOptions> ways;
  for (const bool write_out : {true, false}) {
    for (const bool await : {true, false}) {
      for (const StraightOrder straight : {StraightOrder::kEarly, StraightOrder::kLate, StraightOrder::kAsItStands}) {
        ways.push_back(options);
        ways.back().write_out = write_out;
        ways.back().await = await;
        ways.back().straight = straight;
      }
    }
  }
  for (const uint32_t slack : {1U, 2U, 4U, 8U, 16U}) {
    ways.push_back(ways.back());
    ways.back().slack = slack;
  }
  ways.push_back(ways.back());
  ways.back().pipeline = false;
  return ways;
}

class CodeWriter {
 public:
  CodeWriter(const acg::Machine& machine, const PacketOptions& options, MemoryPlan& map)
      : machine_(machine), options_(options), map_(map) {}

  Staged<std::vector<uint8_t>> write(const Network& network, std::vector<AddressedLayer>& layers,
                                     const StageReport& report) {
    std::vector<Lowerable> lowerable;
    std::vector<Code> codes;
    for (const AddressedLayer& placed : layers) {
      Result<Lowerable> made = lowerable_of(placed);
      if (!made) return about(placed, made.error());
      lowerable.push_back(std::move(*made));
      Result<Code> code = code_of(placed, lowerable.back(), Pointers::kOfTheirOwn);
      if (!code) return about(placed, code.error());
      codes.push_back(std::move(*code));
    }
    if (Staged<Done> s = report("virtual", stage_text(network, codes, machine_)); !s) return s.ended();
    std::vector<PacketCode> packets;
    std::vector<std::vector<PacketStep>> steps;
    for (size_t i = 0; i < layers.size(); ++i) {
      Result<InRegisters> made = in_registers(codes[i]);
      if (!made) made = with_fewer_pointers(layers[i], lowerable[i], made.error());
      if (!made) return about(layers[i], made.error());
      packets.push_back(std::move(made->packets));
      steps.push_back(std::move(made->steps));
    }
    if (Staged<Done> s = report("packets", stage_text(network, packets, machine_)); !s) return s.ended();
    for (size_t i = 0; i < layers.size(); ++i) {
      const uint64_t first = words();
      append(steps[i]);
      layers[i].block.first_word = first;
      layers[i].block.words = words() - first;
    }
    append({CodePacket{{{{operation_of(acg::VliwOperation::kJ2Jumpr), {acg::kReturnRegister}}}}}});
    return std::move(code_);
  }

 private:
  /// Packets on virtual registers, and the same on the machine's registers.
  struct InRegisters {
    PacketCode packets;
    std::vector<PacketStep> steps;
  };

  static Diagnostic about(const AddressedLayer& placed, Diagnostic said) {
    said.subject = placed.layer.layer.name;
    return said;
  }

  uint64_t words() const { return code_.size() / machine_.word_bytes(); }

  void append(const std::vector<PacketStep>& steps) {
    // Branches are relative: the final address of the code does not matter yet.
    const std::vector<uint8_t> bytes =
        bytes_of(assign_addresses(steps, machine_, static_cast<uint32_t>(code_.size())), machine_);
    code_.insert(code_.end(), bytes.begin(), bytes.end());
  }

  /// A codelet whose tables are in memory, and the addresses of everything that it names.
  struct Lowerable {
    codelet::Codelet codelet;
    std::map<std::string, uint32_t> addresses;
  };

  Result<Code> code_of(const AddressedLayer& placed, const Lowerable& made, Pointers pointers) const {
    if (is_scalar(made.codelet, machine_)) {
      return lowered_scalars(made.codelet, machine_, made.addresses, placed.layer.views);
    }
    return lowered(made.codelet, machine_, made.addresses, placed.layer.views, pointers);
  }

  Result<InRegisters> with_fewer_pointers(const AddressedLayer& placed, const Lowerable& made,
                                          const Diagnostic& problem) {
    if (is_scalar(made.codelet, machine_)) return problem;
    const Result<Code> code = code_of(placed, made, Pointers::kMadeWhereUsed);
    return code ? in_registers(*code) : problem;
  }

  Result<Lowerable> lowerable_of(const AddressedLayer& placed) {
    std::map<std::string, uint32_t> addresses;
    for (const auto& [name, address] : placed.addresses) {
      addresses[name] = acg::kImageAddress + static_cast<uint32_t>(address);
    }
    for (const auto& [name, constant] : placed.layer.constants) {
      const codelet::Surrogate& surrogate = surrogate_named(placed.scheduled, name);
      if (surrogate.dtype != DType::kF32) continue;
      const std::vector<uint8_t> scales = codelet::to_packed(surrogate, constant.data);
      const Result<uint64_t> address = add_constant(
          placed, name + ".fixed", fractions_of(scales, shift_of(placed.scheduled, name).value(), kScalesOfVector));
      if (!address) return address.error();
      addresses[name] = acg::kImageAddress + static_cast<uint32_t>(*address);
    }
    TablesInMemory held = with_tables_in_memory(placed.scheduled, machine_);
    for (const auto& [name, lanes] : held.tables) {
      const Result<uint64_t> address = add_constant(placed, name, lanes);
      if (!address) return address.error();
      addresses[name] = acg::kImageAddress + static_cast<uint32_t>(*address);
    }
    return Lowerable{std::move(held.codelet), std::move(addresses)};
  }

  /// Faster code has more values alive at once: if it does not fit, slower code is tried.
  Result<InRegisters> in_registers(const Code& code) {
    const std::vector<acg::Register> kept{{acg::RegisterFile::kScalar, acg::kReturnRegister}};
    std::optional<Diagnostic> problem;
    for (const PacketOptions& options : fastest_first(options_)) {
      PacketCode packets = packetize(code, machine_, options, schedules_);
      Result<std::vector<PacketStep>> steps = allocated(packets, machine_, kept);
      if (steps) return InRegisters{std::move(packets), std::move(*steps)};
      problem = steps.error();
    }
    return problem.value();
  }

  /// Adds a constant in the form that the core reads. The original constant and its table are kept beside it, since the
  /// codelet refers to them.
  Result<uint64_t> add_constant(const AddressedLayer& placed, const std::string& name, std::vector<uint8_t> data) {
    const uint64_t size = data.size();
    return map_.add(placed.layer.layer.name + "/" + name, acg::SegmentKind::kConstant, size, std::move(data));
  }

  const acg::Machine& machine_;
  PacketOptions options_;
  MemoryPlan& map_;
  LoopSchedules schedules_;
  std::vector<uint8_t> code_;
};

}  // namespace

Staged<acg::Program> make_program(const Network& network, const std::vector<codelet::Codelet>& tiled,
                                  const acg::Machine& machine, const std::string& model, const PacketOptions& options,
                                  const StageReport& report) {
  return assemble(network, tiled, machine, model, [&](std::vector<AddressedLayer>& layers, MemoryPlan& map) {
    return CodeWriter(machine, options, map).write(network, layers, report);
  });
}

}  // namespace covenant::compiler::vliw
