#include "sim/stream/simd_array/simd_array.h"

#include <bit>
#include <cctype>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>

#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "acg/isa/word_limits.h"
#include "acg/operations/simd_operation.h"
#include "sim/common/fault.h"
#include "sim/stream/common/address_generator.h"
#include "sim/stream/common/value_queue.h"
#include "sim/stream/simd_array/operands.h"

namespace covenant::sim {

namespace {

using acg::Operation;
using acg::SimdType;

using acg::dtype_of;
using acg::held_dtype;

/// The immediate that is added before rounding.
uint32_t offset_slot(Operation operation) {
  if (operation == Operation::kRequantMul) return acg::kProductOffset;
  return operation == Operation::kQuantize ? acg::kQuotientOffset : acg::kOffset;
}

std::string capability_name(Operation operation) {
  std::string name(acg::info(operation).name);
  for (char& letter : name) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return name;
}

constexpr std::array<std::string_view, 3> kCounted{"dst", "src1", "src2"};

bool computes(Operation operation) { return acg::is_simd_compute(operation); }

bool takes(const acg::Machine& /*machine*/, const acg::Engine& /*engine*/, Operation operation) {
  return acg::info(operation).unit == acg::UnitKind::kSimdArray;
}

std::unique_ptr<Unit> make(const acg::Machine& machine, const acg::Engine& engine) {
  return std::make_unique<SimdArray>(machine, engine.compute.value().value);
}

uint64_t lanes(const acg::Machine& machine, const acg::Engine& engine) {
  return static_cast<uint64_t>(acg::integer_attribute(acg::get(machine, engine.compute.value()), "lanes"));
}

}  // namespace

constinit const UnitRow kSimdArrayRow{.kind = acg::UnitKind::kSimdArray,
                                      .make = &make,
                                      .takes = &takes,
                                      .uses_port = &computes,
                                      .drains = true,
                                      .work = &BlockStatistics::elementwise,
                                      .work_per_cycle = &lanes,
                                      .operands = kCounted};

SimdArray::SimdArray(const acg::Machine& machine, uint32_t compute)
    : compute_(compute),
      lanes_(static_cast<uint32_t>(acg::integer_attribute(machine.computes[compute], "lanes"))),
      half_away_(acg::rounds_half_away(machine.computes[compute])),
      readable_(machine.memories.size(), false),
      writable_(machine.memories.size(), false),
      settings_([&machine, compute, this] {
        const acg::NodeId self = acg::ComputeId{compute};
        for (const acg::Edge& edge : machine.edges) {
          if (edge.to == self) readable_[std::get<acg::MemoryId>(edge.from).value] = true;
          if (edge.from == self) writable_[std::get<acg::MemoryId>(edge.to).value] = true;
        }
        std::vector<bool> connected(machine.memories.size());
        for (size_t k = 0; k < connected.size(); ++k) connected[k] = readable_[k] || writable_[k];
        return SimdSettings(std::move(connected), acg::word_parts(machine), acg::table_bytes(machine));
      }()) {
  const std::vector<acg::Capability>& all = machine.computes[compute].capabilities;
  for (size_t k = 0; k < capabilities_.size(); ++k) {
    const std::string name = capability_name(static_cast<Operation>(k));
    for (uint32_t index = 0; index < all.size(); ++index) {
      if (all[index].name == name) capabilities_[k].push_back(index);
    }
  }
}

uint32_t SimdArray::latency(Operation operation, const acg::Machine& machine) const {
  const auto& types = settings_.types();
  const size_t sources = acg::simd_sources(operation);
  for (const uint32_t index : capabilities_[static_cast<size_t>(operation)]) {
    const acg::Capability& capability = machine.computes[compute_].capabilities[index];
    if (capability.inputs.size() < sources) continue;
    bool matches = capability.output.dtype == dtype_of(types[0]);
    for (size_t k = 0; k < sources; ++k) {
      matches = matches && held_dtype(operation, capability.inputs[k].dtype) == dtype_of(types[k + 1]);
    }
    if (matches && acg::simd_allows(operation, types)) return capability.latency;
  }
  raise_types(operation, machine);
}

void SimdArray::raise_types(Operation operation, const acg::Machine& machine) const {
  const size_t sources = acg::simd_sources(operation);
  std::vector<std::string> listed;
  for (const uint32_t index : capabilities_[static_cast<size_t>(operation)]) {
    const acg::Capability& capability = machine.computes[compute_].capabilities[index];
    if (capability.inputs.size() < sources) continue;
    std::string row = fmt::format("{} <-", covenant::name(capability.output.dtype));
    for (size_t k = 0; k < sources; ++k) {
      row += fmt::format(" {}", covenant::name(held_dtype(operation, capability.inputs[k].dtype)));
    }
    listed.push_back(row);
  }
  const auto& types = settings_.types();
  std::string row = fmt::format("{} {} <-", capability_name(operation), covenant::name(dtype_of(types[0])));
  for (size_t k = 0; k < sources; ++k) row += fmt::format(" {}", covenant::name(dtype_of(types[k + 1])));
  raise("SIM0041", "the SIMD array cannot do this operation on these types", row, listed,
        "set the types to a listed combination, or add the capability to the machine");
}

void SimdArray::check_edge(uint32_t memory, bool writes, const acg::Machine& machine) const {
  const bool is_immediate = machine.memories[memory].kind == acg::MemoryKind::kImmediate;
  if (writes ? writable_[memory] && !is_immediate : readable_[memory]) return;
  std::vector<std::string> allowed;
  for (size_t k = 0; k < machine.memories.size(); ++k) {
    if (writes ? writable_[k] : readable_[k]) allowed.push_back(machine.memories[k].name);
  }
  raise("SIM0040", writes ? "the SIMD array cannot write this memory" : "the SIMD array cannot read this memory",
        machine.memories[memory].name, allowed, "name a memory that has an edge in this direction");
}

/// Units that operand k advances by at a level of the nest.
int64_t SimdArray::stride_at(size_t level, size_t k, SimdSettings::Entry entry, const acg::Machine& machine) const {
  const SimdSettings::Level& setting = settings_.levels()[level];
  if (!setting.has_index) return 0;
  const SimdSettings::Entry stride = setting.strides[k];
  if (stride.memory != entry.memory) {
    raise("SIM0043", fmt::format("level {} advances an operand by a stride of another memory", level),
          machine.memories[stride.memory].name, {machine.memories[entry.memory].name},
          "name the memory of the operand in the index word, too");
  }
  return settings_.stride(stride);
}

SimdOperand SimdArray::resolve(const acg::Instruction& word, size_t k, const SimdNest& nest,
                               const CommandContext& context) const {
  const SimdSettings::Entry entry{operand::unsigned_value(word, operand::memory_of(k)),
                                  operand::unsigned_value(word, operand::entry_of(k))};
  check_edge(entry.memory, k == 0, context.machine);
  SimdOperand operand;
  operand.type = settings_.types()[k];
  const acg::Memory& memory = context.machine.memories[entry.memory];
  if (memory.kind == acg::MemoryKind::kImmediate) {
    operand.is_immediate = true;
    operand.immediate = settings_.immediate(entry.index);
    return operand;
  }
  operand.vector_bytes = uint64_t{nest.lanes} * bits_of(operand.type) / 8;
  const uint64_t unit = memory.unit_bytes();
  if (operand.vector_bytes % unit != 0) {
    raise("SIM0042",
          fmt::format("a vector of {} is not a whole number of units of {}", covenant::name(dtype_of(operand.type)),
                      memory.name),
          fmt::format("{} bytes", operand.vector_bytes), {fmt::format("multiples of {} bytes", unit)},
          "use a type that the memory can address");
  }
  const auto vector_units = static_cast<int64_t>(operand.vector_bytes / unit);
  std::array<NestLevel, acg::kSimdLevels> levels;
  const uint32_t start = settings_.base(entry);
  bool aligned = start % vector_units == 0;
  for (size_t level = 0; level < acg::kSimdLevels; ++level) {
    const bool stays = k == 0 && level >= nest.first_reduction;
    const int64_t stride = stride_at(level, k, entry, context.machine);
    levels[level] = {stays ? 1 : nest.counts[level], stride};
    if (levels[level].count == 1) continue;
    operand.strides[level] = stride * static_cast<int64_t>(unit);
    aligned = aligned && stride % vector_units == 0;
  }
  operand.region = place_in_buffer(context, entry.memory, entry.index / memory.channel_entries(), start, levels,
                                   operand.vector_bytes,
                                   k == 0   ? "dst"
                                   : k == 1 ? "src1"
                                            : "src2");
  operand.start = operand.region.start;
  if (!aligned) {
    raise("SIM0042", "a vector does not start on a multiple of its own size", fmt::format("unit {}", start),
          {fmt::format("bases and strides that are multiples of {} units", vector_units)}, "align the tile");
  }
  return operand;
}

Requantization SimdArray::requantization(const acg::Instruction& word) const {
  Requantization r;
  const bool clamps = acg::is_simd_clamping(word.operation);
  if (!clamps && acg::simd_scalars(word.operation) == 0) return r;
  const bool multiplies = word.operation == Operation::kRequantMul;
  const covenant::DTypeInfo& made = covenant::info(dtype_of(settings_.types()[0]));
  // Numbers have the width of the result. Operations that do not clamp do not use them.
  const auto number = [&made](uint32_t value) {
    const uint32_t top = value << (32 - made.bits);
    return static_cast<float>(made.is_signed ? static_cast<int64_t>(static_cast<int32_t>(top) >> (32 - made.bits))
                                             : static_cast<int64_t>(top >> (32 - made.bits)));
  };
  const SimdSettings::Quantization& q = settings_.quantization();
  r.zero_point = number(q.zero_point);
  r.lowest = number(q.lowest);
  r.highest = number(q.highest);
  const auto real = [this](uint32_t slot) { return std::bit_cast<float>(settings_.immediate(slot)); };
  r.scale_a = real(multiplies ? acg::kProductScale : acg::kScaleA);
  r.scale_b = real(acg::kScaleB);
  r.offset = real(offset_slot(word.operation));
  r.zero_a = static_cast<int32_t>(settings_.immediate(multiplies ? acg::kZeroA : acg::kByteZero));
  r.zero_b = static_cast<int32_t>(settings_.immediate(acg::kZeroB));
  if (clamps && r.lowest > r.highest) {
    raise("SIM0046", "the range of a quantisation is empty", fmt::format("{}..{}", r.lowest, r.highest), {},
          "set lowest not above highest, both read with the signedness of the destination");
  }
  return r;
}

FixedPoint SimdArray::fixed_point_of(Operation operation, const Requantization& requantization) const {
  if (!acg::is_simd_fixed(operation)) return {};
  FixedPoint result = fixed_point(operation, [this](uint32_t slot) { return settings_.immediate(slot); });
  result.zero_point = static_cast<int32_t>(requantization.zero_point);
  result.lowest = static_cast<int32_t>(requantization.lowest);
  result.highest = static_cast<int32_t>(requantization.highest);
  result.half_away = half_away_;
  return result;
}

void SimdArray::count(const SimdNest& nest, uint64_t iterations, CommandContext& context) const {
  const auto units = [&context](const SimdOperand& operand) {
    return operand.vector_bytes / context.machine.memories[operand.region.memory].unit_bytes();
  };
  uint64_t writes = 1;
  for (size_t level = 0; level < nest.first_reduction; ++level) writes *= nest.counts[level];
  const uint64_t written = writes * units(nest.dst);
  context.tally.count(nest.dst.region.memory, 0, nest.resumes ? written : 0, written);
  for (size_t k = 0; k < nest.source_count; ++k) {
    if (nest.sources[k].is_immediate) continue;
    context.tally.count(nest.sources[k].region.memory, k + 1, iterations * units(nest.sources[k]), 0);
  }
  const auto operation = static_cast<size_t>(nest.operation);
  context.tally.operations[operation] += iterations * nest.lanes;
  if (nest.is_real()) context.tally.in_f32[operation] += iterations * nest.lanes;
}

CommandTiming SimdArray::execute(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context) {
  if (computes(word.operation)) return compute(word, sequencer, context);
  settings_.configure(context.machine, word);
  return {};
}

CommandTiming SimdArray::compute(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context) {
  SimdNest nest;
  nest.operation = word.operation;
  nest.lanes = lanes_;
  nest.source_count = acg::simd_sources(word.operation);
  if (acg::is_simd_reduction(word.operation)) {
    nest.first_reduction = settings_.first_reduction();
    nest.resumes = !sequencer.at_first_reduction();
  }
  uint64_t iterations = 1;
  for (size_t level = 0; level < acg::kSimdLevels; ++level) {
    nest.counts[level] = settings_.levels()[level].count;
    iterations = saturating_product(iterations, nest.counts[level]);
  }
  require_cycles(iterations, context);
  const uint32_t execute = latency(word.operation, context.machine);
  nest.requantization = requantization(word);
  nest.fixed_point = fixed_point_of(word.operation, nest.requantization);
  if (word.operation == Operation::kLookup) nest.table = settings_.table();
  nest.dst = resolve(word, 0, nest, context);
  for (size_t k = 0; k < nest.source_count; ++k) nest.sources[k] = resolve(word, k + 1, nest, context);
  check_hazards(nest);

  if (nest.resumes) {
    check_edge(nest.dst.region.memory, false, context.machine);
    context.accesses.push_back({nest.dst.region, false});
  }
  context.accesses.push_back({nest.dst.region, true});
  std::array<std::span<uint8_t>, 3> memories{context.image.writable(nest.dst.region.memory)};
  for (size_t k = 0; k < nest.source_count; ++k) {
    if (nest.sources[k].is_immediate) continue;
    context.accesses.push_back({nest.sources[k].region, false});
    memories[k + 1] = context.image.writable(nest.sources[k].region.memory);
  }
  count(nest, iterations, context);
  const uint64_t retire_after = iterations - 1 + 3 + execute;
  CommandTiming timing{retire_after, retire_after, iterations, 0};
  if (context.values != nullptr) context.values->run(NestValues{nest, memories});
  if (context.digests) timing.digest = digest_of(nest.dst.region, memories[0]);
  return timing;
}

}  // namespace covenant::sim
