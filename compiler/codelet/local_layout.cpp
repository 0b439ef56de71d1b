#include "compiler/codelet/local_layout.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/capability.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/vector_sizes.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Constant;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Transfer;

/// For each tensor, the shapes of all vectors that nodes read or write in it.
using Vectors = std::map<std::string, std::vector<std::vector<uint64_t>>>;

/// A local that only carries a tile between memories is laid out for the vectors of the local at the end of the path.
void lay_out_ways(const Codelet& codelet, Vectors& vectors) {
  std::vector<std::pair<std::string, std::string>> ways;  // from, to; in the order of the codelet
  for_each_operation(codelet.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
    const auto* transfer = std::get_if<Transfer>(&operation.op);
    const auto* source = transfer == nullptr ? nullptr : std::get_if<Reference>(&transfer->source);
    if (source == nullptr || transfer->local.empty()) return;
    ways.emplace_back(source->surrogate, transfer->local);
  });
  const auto take = [&](const std::string& taker, const std::string& giver) {
    const auto known = vectors.find(giver);
    if (known != vectors.end() && !vectors.contains(taker)) vectors.emplace(taker, known->second);
  };
  for (const auto& [from, to] : ways) take(to, from);  // results leave through other locals
  for (auto way = ways.rbegin(); way != ways.rend(); ++way) take(way->first, way->second);
}

}  // namespace

std::map<std::string, DType> tensor_dtypes(const Codelet& codelet) {
  std::map<std::string, DType> dtypes;
  for (const codelet::Surrogate& surrogate : codelet.surrogates) {
    if (surrogate.dtype) dtypes[surrogate.name] = *surrogate.dtype;
  }
  for_each_operation(codelet.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
    const auto* transfer = std::get_if<Transfer>(&operation.op);
    if (transfer == nullptr || transfer->local.empty()) return;
    const auto* constant = std::get_if<Constant>(&transfer->source);
    dtypes[transfer->local] =
        constant != nullptr ? constant->dtype : dtypes.at(std::get<Reference>(transfer->source).surrogate);
  });
  return dtypes;
}

const acg::Capability& capability_of(const std::map<std::string, DType>& dtypes, const acg::Machine& machine,
                                     const Compute& compute) {
  std::vector<codelet::OperandType> types;
  for (const auto& operand : compute.operands) {
    const auto* constant = std::get_if<Constant>(&operand);
    types.push_back(constant != nullptr ? codelet::type_of(*constant)
                                        : codelet::OperandType{dtypes.at(std::get<Reference>(operand).surrogate)});
  }
  const auto node = acg::find_compute(machine, compute.location);
  check(node.has_value(), "a compute is not mapped");
  const acg::Capability* capability = codelet::find_capability(acg::get(machine, node.value()), compute.capability,
                                                               dtypes.at(compute.destination.surrogate), types);
  check(capability != nullptr, "a compute is mapped to a node that cannot do it");
  return *capability;
}

LocalLayout local_layout(const acg::Machine& machine, acg::MemoryId memory, DType dtype, std::vector<int64_t> shape,
                         const std::vector<std::vector<uint64_t>>& vector_shapes) {
  // A local that two nodes use is laid out for the one that works on more elements at once.
  std::vector<uint64_t> largest;
  std::vector<uint64_t> vector_bytes;
  for (const std::vector<uint64_t>& vector : vector_shapes) {
    if (largest.empty() || codelet::elements_of(vector) > codelet::elements_of(largest)) largest = vector;
    vector_bytes.push_back(packed_bytes(dtype, codelet::elements_of(vector)));
  }
  const uint64_t row_alignment = codelet::row_alignment(vector_bytes);
  LocalLayout layout;
  layout.memory = memory;
  layout.dtype = dtype;
  layout.shape = std::move(shape);
  layout.vector_rank = std::max<size_t>(1, largest.size());
  check(layout.vector_rank <= layout.shape.size(), "a local has fewer dimensions than the vectors in it");
  layout.unit_bytes = acg::get(machine, memory).unit_bytes();
  layout.vector_bytes = packed_bytes(dtype, codelet::elements_of(largest));
  layout.alignment_units = std::max<uint64_t>(1, std::max(layout.vector_bytes, row_alignment) / layout.unit_bytes);
  // Padding is filled by a pattern that repeats by address, so elements are aligned to their own size.
  const uint64_t element_bytes = std::max<uint64_t>(1, bits(dtype) / 8);
  layout.alignment_units = std::lcm(layout.alignment_units, element_bytes / std::gcd(element_bytes, layout.unit_bytes));
  const size_t rank = layout.shape.size();
  layout.bit_strides.resize(rank);
  uint64_t stride = bits(dtype);
  for (size_t d = rank; d-- > 0;) {
    layout.bit_strides[d] = stride;
    stride *= static_cast<uint64_t>(layout.shape[d]);
    if (rank - d == layout.vector_rank) {
      // The row is complete: the next one starts at a unit of its own.
      stride = round_up(stride, 8 * std::lcm(std::lcm(layout.unit_bytes, row_alignment), element_bytes));
    }
  }
  layout.units = stride / (8 * layout.unit_bytes);
  return layout;
}

std::map<std::string, LocalLayout> local_layouts(const Codelet& codelet, const acg::Machine& machine) {
  const std::map<std::string, DType> dtypes = tensor_dtypes(codelet);
  Vectors vectors;
  for_each_operation(codelet.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
    const auto* compute = std::get_if<Compute>(&operation.op);
    if (compute == nullptr) return;
    const acg::Capability& capability = capability_of(dtypes, machine, *compute);
    vectors[compute->destination.surrogate].push_back(capability.output.shape);
    for (size_t i = 0; i < compute->operands.size(); ++i) {
      if (const auto* reference = std::get_if<Reference>(&compute->operands[i])) {
        vectors[reference->surrogate].push_back(capability.inputs[i].shape);
      }
    }
  });
  lay_out_ways(codelet, vectors);
  std::map<std::string, LocalLayout> layouts;
  for_each_operation(codelet.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
    const auto* transfer = std::get_if<Transfer>(&operation.op);
    if (transfer == nullptr || transfer->local.empty()) return;
    const auto memory = acg::find_memory(machine, transfer->location);
    check(memory.has_value(), "a local has no memory");
    layouts.emplace(transfer->local, local_layout(machine, *memory, dtypes.at(transfer->local),
                                                  constants(transfer->shape), vectors[transfer->local]));
  });
  return layouts;
}

const acg::Capability& capability_of(const Codelet& codelet, const acg::Machine& machine, const Compute& compute) {
  return capability_of(tensor_dtypes(codelet), machine, compute);
}

}  // namespace covenant::compiler
