#include "compiler/families/stream/simd_array.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <optional>

#include "acg/base/check.h"
#include "acg/isa/word_limits.h"
#include "acg/operations/simd_operation.h"
#include "compiler/families/fixed_scales.h"
#include "compiler/families/stream/address_generator.h"
#include "compiler/families/stream/operand_values.h"

namespace covenant::compiler::stream {
namespace {

using acg::Operation;
using acg::SimdType;
using codelet::Constant;
using codelet::Reference;

/// Maps a capability to its operation, and gives the number of operands that are vectors or immediates of the compute
/// word. `scalars`: number of further operands, which take the first immediates.
struct Function {
  std::string_view capability;
  Operation operation;
  size_t sources;
  size_t scalars = 0;
};
constexpr std::array<Function, 20> kFunctions{{{"ADD", Operation::kAdd, 2},
                                               {"SUB", Operation::kSub, 2},
                                               {"MUL", Operation::kMul, 2},
                                               {"DIV", Operation::kDiv, 2},
                                               {"SQRT", Operation::kSqrt, 1},
                                               {"MAX", Operation::kMax, 2},
                                               {"MIN", Operation::kMin, 2},
                                               {"MOVE", Operation::kMove, 1},
                                               {"REQUANT", Operation::kRequant, 2},
                                               {"REQUANT_ADD", Operation::kRequantAdd, 2, 3},
                                               {"REQUANT_MUL", Operation::kRequantMul, 2, 4},
                                               {"REQUANT_FIXED", Operation::kRequantFixed, 2, 1},
                                               {"REQUANT_ADD_FIXED", Operation::kRequantAddFixed, 2, 4},
                                               {"REQUANT_MUL_FIXED", Operation::kRequantMulFixed, 2, 4},
                                               {"DEQUANTIZE", Operation::kDequantize, 1, 2},
                                               {"QUANTIZE", Operation::kQuantize, 2, 1},
                                               {"LOOKUP", Operation::kLookup, 1},
                                               {"REDUCE_MAX", Operation::kReduceMax, 1},
                                               {"REDUCE_SUM", Operation::kReduceSum, 1},
                                               {"DEQUANTIZE_SUM", Operation::kDequantizeSum, 1, 2}}};

const Function* function_of(const codelet::Compute& compute) {
  const auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                  [&](const Function& entry) { return entry.capability == compute.capability; });
  return found == kFunctions.end() ? nullptr : &*found;
}

Diagnostic cannot(const std::string& what, const std::string& offending) {
  return Diagnostic{"GEN0010", {}, "", what, offending, {}, "map the operation to a node that has this capability"};
}

Diagnostic table_full(const std::string& what, uint64_t size) {
  return Diagnostic{"GEN0011",
                    {},
                    "",
                    "one layer needs more than the machine has: " + what,
                    "",
                    {"at most " + std::to_string(size)},
                    "split the layer"};
}

uint32_t bits_of(const Constant& constant) {
  if (constant.dtype == DType::kF32) return std::bit_cast<uint32_t>(constant.real);
  return static_cast<uint32_t>(constant.integer);
}

SettingValue one(int64_t value) {
  SettingValue result{};
  result[0] = static_cast<int32_t>(static_cast<uint32_t>(value));
  return result;
}

/// The table entry that holds `value`, or the next free one, in a table of `size`.
std::optional<uint32_t> entry_for(std::map<int64_t, uint32_t>& table, int64_t value, uint32_t size) {
  const auto found = table.find(value);
  if (found != table.end()) return found->second;
  if (table.size() >= size) return std::nullopt;
  const uint32_t entry = static_cast<uint32_t>(table.size());
  table.emplace(value, entry);
  return entry;
}

int32_t shift_attribute(const codelet::Compute& compute) {
  return static_cast<int32_t>(number(compute.attributes.at("shift")));
}

bool rounds_half_away(const codelet::Compute& compute) { return compute.attributes.contains("half_away"); }

/// The fraction by which the array represents a scale.
Constant fraction(const Constant& scale, const codelet::Compute& compute) {
  return {DType::kI32, fraction_of(scale.real, shift_attribute(compute)), 0, {}};
}

/// An operand of the compute word: a vector in a memory, or a broadcast immediate.
struct Operand {
  acg::MemoryId memory;
  uint32_t index = 0;  ///< base entry, or immediate slot
  SimdType type = SimdType::kI8;
  bool is_immediate = false;
  Affine units;  ///< over open loops, then the nest; empty for immediates
};

struct Builder {
  const BlockPlan& plan;
  const acg::Machine& machine;
  const codelet::Compute& compute;
  SimdTables& tables;
  std::vector<LoopRange> loops;
  size_t open = 0;
  Command command;

  Result<Operand> vector(const Reference& reference);
  Result<Operand> immediate(const Constant& constant, std::optional<uint32_t> fixed_slot);
  Result<Operand> source(size_t i, Operation operation);
  Result<acg::MemoryId> immediate_memory() const;
  Status levels(const std::vector<NestLoop>& nest, const std::array<Operand, 3>& operands);
};

Result<Operand> Builder::vector(const Reference& reference) {
  const Local& local = plan.locals.at(reference.surrogate);
  Operand operand;
  operand.memory = local.memory;
  const std::optional<SimdType> type = acg::simd_type(local.dtype);
  if (!type) return cannot("a SIMD array has no vectors of this type", std::string(name(local.dtype)));
  operand.type = *type;
  Affine bits = address(local.layout, reference.indices, loops);
  bits.base += local.first_byte * 8;
  for (size_t i = 0; i < open; ++i) {
    if (bits.strides[i] != 0) {
      return cannot("an address of a SIMD nest depends on a loop around other work", loops[i].variable);
    }
  }
  Result<Affine> units = in_units(bits, static_cast<int64_t>(acg::get(machine, local.memory).unit_bytes() * 8));
  if (!units) return units.error();
  operand.units = *units;
  const uint32_t per_slot = acg::get(machine, local.memory).channel_entries();
  const auto entry = entry_for(tables.bases[{local.memory, local.slot}], units->base, per_slot);
  if (!entry) return table_full("base addresses in one channel", per_slot);
  operand.index = local.slot * per_slot + *entry;
  command.needs[{Operation::kSimdBase, static_cast<int32_t>(local.memory.value), static_cast<int32_t>(operand.index)}] =
      one(units->base);
  return operand;
}

Result<acg::MemoryId> Builder::immediate_memory() const {
  const std::optional<acg::ComputeId> node = acg::find_compute(machine, compute.location);
  for (uint32_t i = 0; i < machine.memories.size() && node; ++i) {
    const bool is_read = acg::edge_between(machine, acg::MemoryId{i}, *node).has_value();
    if (machine.memories[i].kind == acg::MemoryKind::kImmediate && is_read) return acg::MemoryId{i};
  }
  return Diagnostic{"GEN0010",
                    {},
                    "",
                    "no edge from a memory of kind immediate leads to " + compute.location,
                    compute.capability,
                    {},
                    "give the machine such a memory, and an edge from it to " + compute.location};
}

Result<Operand> Builder::immediate(const Constant& constant, std::optional<uint32_t> fixed_slot) {
  Result<acg::MemoryId> memory = immediate_memory();
  if (!memory) return memory.error();
  Operand operand;
  operand.memory = *memory;
  operand.is_immediate = true;
  const std::optional<SimdType> type = acg::simd_type(constant.dtype);
  if (!type) return cannot("a SIMD array has no immediates of this type", std::string(name(constant.dtype)));
  operand.type = *type;
  const uint32_t bits = bits_of(constant);
  if (fixed_slot) {
    operand.index = *fixed_slot;
  } else {
    const auto found = tables.immediates.find(bits);
    operand.index = found != tables.immediates.end()
                        ? found->second
                        : tables.first_immediate + static_cast<uint32_t>(tables.immediates.size());
    if (operand.index >= acg::kImmediateSlots) return table_full("immediates", acg::kImmediateSlots);
    tables.immediates.emplace(bits, operand.index);
  }
  command.needs[{Operation::kImmediateLow, static_cast<int32_t>(operand.index), 0}] = one(bits);
  return operand;
}

/// Operand `i` of the compute: a vector, or a number for all lanes.
Result<Operand> Builder::source(size_t i, Operation operation) {
  if (const auto* reference = std::get_if<Reference>(&compute.operands.at(i))) {
    Result<Operand> operand = vector(*reference);
    if (operand) operand->type = acg::simd_type(acg::held_dtype(operation, acg::dtype_of(operand->type))).value();
    return operand;
  }
  const auto& constant = std::get<Constant>(compute.operands[i]);
  const bool is_scale = acg::is_simd_fixed(operation) && constant.dtype == DType::kF32;
  return immediate(is_scale ? fraction(constant, compute) : constant, std::nullopt);
}

/// Sets trip and strides of every level; levels that the nest does not use run once.
Status Builder::levels(const std::vector<NestLoop>& nest, const std::array<Operand, 3>& operands) {
  for (uint32_t level = 0; level < acg::kSimdLevels; ++level) {
    SettingValue value{};
    if (level < nest.size()) {
      value[0] = static_cast<int32_t>(nest[level].trips - 1);
      const auto& strides = nest[level].strides;
      value[1] = std::any_of(strides.begin(), strides.end(), [](int64_t stride) { return stride != 0; }) ? 1 : 0;
      for (size_t i = 0; value[1] != 0 && i < operands.size(); ++i) {
        const Operand& operand = operands[i];
        value[2 + 2 * i] = static_cast<int32_t>(operand.memory.value);
        if (operand.is_immediate) continue;
        auto& table = tables.strides[operand.memory];
        table.emplace(0, 0);  // entry 0 is never written: it stays 0
        const auto entry = entry_for(table, strides[i], acg::kIteratorEntries);
        if (!entry) return table_full("strides in one memory", acg::kIteratorEntries);
        value[3 + 2 * i] = static_cast<int32_t>(*entry);
        command.needs[{Operation::kSimdStride, value[2 + 2 * i], value[3 + 2 * i]}] = one(strides[i]);
      }
    }
    command.needs[{Operation::kSimdTrip, static_cast<int32_t>(level), 0}] = value;
  }
  return Done{};
}

/// The value of an attribute as an unsigned number with the width of the destination.
int32_t element_of(const codelet::Compute& compute, const std::string& attribute, DType made) {
  const auto found = compute.attributes.find(attribute);
  if (found == compute.attributes.end()) return 0;
  return static_cast<int32_t>(number(found->second) & ((int64_t{1} << bits(made)) - 1));
}

void add_quantization(const codelet::Compute& compute, Operation operation, DType made, Command& command) {
  if (!acg::is_simd_clamping(operation)) return;
  SettingValue value{};
  value[0] = acg::is_simd_centring(operation, rounds_half_away(compute)) ? element_of(compute, "zero_point", made) : 0;
  value[1] = element_of(compute, "lowest", made);
  value[2] = element_of(compute, "highest", made);
  command.needs[{Operation::kQuantization, 0, 0}] = value;
}

/// Values of the first immediates: given by the codelet or, in fixed point, derived from it.
std::vector<Constant> scalars_of(const Function& function, const codelet::Compute& compute) {
  std::vector<Constant> said;
  for (size_t i = function.sources; i < compute.operands.size(); ++i) {
    check(std::holds_alternative<Constant>(compute.operands[i]), "scalars and tables are constants");
    said.push_back(std::get<Constant>(compute.operands[i]));
  }
  const auto integer = [](int64_t value) { return Constant{DType::kI32, value, 0, {}}; };
  switch (function.operation) {
    case Operation::kLookup:
      return {};
    case Operation::kRequantFixed:
      return {integer(shift_attribute(compute))};
    case Operation::kRequantAddFixed: {
      const FixedSum sum = fixed_sum(said.at(0).real, said.at(1).real, said.at(2).real, rounds_half_away(compute));
      return {integer(sum.scale_a), integer(sum.scale_b), integer(sum.offset), integer(sum.shift)};
    }
    case Operation::kRequantMulFixed:
      return {fraction(said.at(0), compute), integer(shift_attribute(compute)), said.at(1), said.at(2)};
    default:
      return said;
  }
}

/// Sets the table as one number, its first entry in the lowest byte, in the parts that words can set.
void add_table(const std::vector<uint8_t>& table, const acg::ValueParts& parts, Command& command) {
  const uint32_t needed = (static_cast<uint32_t>(table.size()) * 8 + parts.bits - 1) / parts.bits;
  for (uint32_t index = 0; index < needed; ++index) {
    uint32_t value = 0;
    for (uint32_t bit = 0; bit < parts.bits; ++bit) {
      const size_t at = size_t{index} * parts.bits + bit;
      if (at < table.size() * 8 && (table[at / 8] >> (at % 8) & 1) != 0) value |= 1U << bit;
    }
    command.needs[{Operation::kTable, static_cast<int32_t>(index), 0}] = one(value);
  }
}

}  // namespace

SimdTables tables_for(const codelet::Codelet& codelet) {
  SimdTables tables;
  const std::function<void(const std::vector<codelet::Operation>&)> visit = [&](const auto& body) {
    for (const codelet::Operation& operation : body) {
      if (const auto* loop = std::get_if<codelet::Loop>(&operation.op)) visit(loop->body);
      const auto* compute = std::get_if<codelet::Compute>(&operation.op);
      const Function* function = compute == nullptr ? nullptr : function_of(*compute);
      if (function == nullptr) continue;
      tables.first_immediate = std::max(tables.first_immediate, static_cast<uint32_t>(function->scalars));
    }
  };
  visit(codelet.body);
  return tables;
}

Result<std::vector<Step>> simd_steps(const BlockPlan& plan, const acg::Machine& machine,
                                     const std::vector<OpenLoop>& open, const std::vector<LoopRange>& nest,
                                     const codelet::Compute& compute, SimdTables& tables) {
  const Function* function = function_of(compute);
  if (function == nullptr || capability_of(plan, machine, compute) == nullptr) {
    return cannot("the SIMD array does not do this on these types", compute.capability);
  }
  Builder builder{plan, machine, compute, tables, ranges(open), open.size(), {}};
  builder.loops.insert(builder.loops.end(), nest.begin(), nest.end());

  std::array<Operand, 3> operands;
  Result<Operand> destination = builder.vector(compute.destination);
  if (!destination) return destination.error();
  operands[0] = *destination;
  const std::vector<Constant> scalars = scalars_of(*function, compute);
  for (uint32_t slot = 0; slot < scalars.size(); ++slot) {
    if (Result<Operand> scalar = builder.immediate(scalars[slot], slot); !scalar) return scalar.error();
  }
  if (function->operation == Operation::kLookup) {
    add_table(std::get<Constant>(compute.operands.at(1)).table, acg::word_parts(machine).table, builder.command);
  }
  for (size_t i = 0; i < function->sources; ++i) {
    Result<Operand> operand = builder.source(i, function->operation);
    if (!operand) return operand.error();
    operands[1 + i] = *operand;
  }
  if (function->sources == 1) operands[2] = operands[1];  // ignored by the unit

  if (acg::is_simd_reduction(function->operation)) {
    const Local& result = plan.locals.at(compute.destination.surrogate);
    builder.command.reductions = resumed_over(open, result.depth, compute.destination);
  }
  const int64_t most_trips = acg::word_limits(machine).nest_trips;
  std::vector<NestLoop> kept;
  std::vector<NestLoop> reductions;  // innermost, whatever their place in the codelet: sums wrap, so their order does
                                     // not matter
  for (size_t i = 0; i < nest.size(); ++i) {
    const bool reduces = acg::is_simd_reduction(function->operation) && !compute.destination.mentions(nest[i].variable);
    NestLoop loop{nest[i].trips, reduces, {}};
    for (const Operand& operand : operands) {
      loop.strides.push_back(operand.is_immediate ? 0 : operand.units.strides[open.size() + i]);
    }
    if (loop.trips > static_cast<uint64_t>(most_trips)) {
      return table_full("iterations of one loop", static_cast<size_t>(most_trips));
    }
    (reduces ? reductions : kept).push_back(loop);
  }
  kept = collapse(kept, most_trips);
  reductions = collapse(reductions, most_trips);
  const size_t first_reduction = kept.size();
  kept.insert(kept.end(), reductions.begin(), reductions.end());
  if (kept.size() > acg::kSimdLevels) return table_full("levels of a SIMD nest", acg::kSimdLevels);
  if (acg::is_simd_reduction(function->operation)) {
    builder.command.needs[{Operation::kSimdReduce, 0, 0}] =
        one(reductions.empty() ? acg::kSimdLevels : static_cast<int64_t>(first_reduction));
  }
  if (Status status = builder.levels(kept, operands); !status) return status.error();

  SettingValue types{};
  for (size_t i = 0; i < operands.size(); ++i) types[i] = static_cast<int32_t>(operands[i].type);
  if (!acg::simd_allows(function->operation, {operands[0].type, operands[1].type, operands[2].type})) {
    return cannot("the SIMD array does not do this on these types", compute.capability);
  }
  builder.command.needs[{Operation::kTypes, 0, 0}] = types;
  add_quantization(compute, function->operation, acg::dtype_of(operands[0].type), builder.command);
  builder.command.word = instruction(function->operation, {{"dst_memory", operands[0].memory.value},
                                                           {"dst", operands[0].index},
                                                           {"src1_memory", operands[1].memory.value},
                                                           {"src1", operands[1].index},
                                                           {"src2_memory", operands[2].memory.value},
                                                           {"src2", operands[2].index}});
  return std::vector<Step>{Step{builder.command}};
}

}  // namespace covenant::compiler::stream
