#include "compiler/families/stream/systolic_array.h"

#include <array>

#include "acg/base/check.h"
#include "acg/isa/word_limits.h"
#include "acg/operations/simd_operation.h"
#include "compiler/families/stream/address_generator.h"
#include "compiler/families/stream/operand_values.h"

namespace covenant::compiler::stream {
namespace {

using acg::AddressOperand;
using codelet::Reference;

Diagnostic cannot(const codelet::Compute& compute, const std::string& what) {
  return Diagnostic{"GEN0010",
                    {},
                    "",
                    what,
                    compute.capability,
                    {"GEMM(input, weight, bias)"},
                    "map the operation to a node that has this capability"};
}

}  // namespace

Result<std::vector<Step>> systolic_steps(const BlockPlan& plan, const acg::Machine& machine,
                                         const std::vector<OpenLoop>& open, const std::vector<LoopRange>& nest,
                                         const codelet::Compute& compute) {
  if (compute.capability != "GEMM" || compute.operands.size() != 3) {
    return cannot(compute, "a systolic array does nothing but GEMM with a bias");
  }
  std::vector<LoopRange> loops = ranges(open);
  loops.insert(loops.end(), nest.begin(), nest.end());

  std::array<Reference, 4> references;  // in the order of AddressOperand
  for (size_t i = 0; i < 3; ++i) {
    const auto* reference = std::get_if<Reference>(&compute.operands[i]);
    if (reference == nullptr) return cannot(compute, "operands of a systolic array lie in memories");
    references[i] = *reference;
  }
  references[3] = compute.destination;

  WalkedCommand walked;
  std::vector<Affine> addresses;
  for (size_t i = 0; i < references.size(); ++i) {
    const Local& local = plan.locals.at(references[i].surrogate);
    Affine bits = address(local.layout, references[i].indices, loops);
    bits.base += local.first_byte * 8;
    const int64_t unit = static_cast<int64_t>(acg::get(machine, local.memory).unit_bytes());
    Result<Affine> units = in_units(bits, unit * 8);
    if (!units) return units.error();
    addresses.push_back(*units);
    Affine tile{units->base, {units->strides.begin(), units->strides.begin() + static_cast<int64_t>(open.size())}};
    walked.walks.push_back({static_cast<AddressOperand>(i), local.slot, tile});
  }

  const Local& output = plan.locals.at(compute.destination.surrogate);
  const auto is_reduction = [&](const std::string& variable) { return !compute.destination.mentions(variable); };
  std::vector<NestLoop> pass;
  for (size_t i = 0; i < nest.size(); ++i) {
    NestLoop loop{nest[i].trips, is_reduction(nest[i].variable), {}};
    for (const Affine& units : addresses) loop.strides.push_back(units.strides[open.size() + i]);
    pass.push_back(loop);
  }
  const int64_t most_trips = acg::word_limits(machine).walk_trips;
  walked.nest = collapse(pass, most_trips);

  const std::optional<acg::InputType> input = acg::input_type(plan.locals.at(references[0].surrogate).dtype);
  if (!input) return cannot(compute, "a systolic array has no inputs of this type");
  walked.command.word = instruction(acg::Operation::kGemm, {{"input_type", static_cast<int64_t>(*input)}});
  walked.command.reductions = resumed_over(open, output.depth, compute.destination);
  return walk(walked, open, acg::kFirstPassLoop, acg::kPassLoops, most_trips);
}

}  // namespace covenant::compiler::stream
