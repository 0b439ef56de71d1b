#include "compiler/codelet/local_layout.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/capability.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Constant;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Transfer;

/// The dtypes of all surrogates and locals.
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

const acg::Capability& find(const std::map<std::string, DType>& dtypes, const acg::Machine& machine,
                            const Compute& compute) {
  std::vector<codelet::OperandType> types;
  for (const auto& operand : compute.operands) {
    const auto* constant = std::get_if<Constant>(&operand);
    types.push_back({constant != nullptr ? constant->dtype : dtypes.at(std::get<Reference>(operand).surrogate),
                     constant != nullptr});
  }
  const auto node = acg::find_compute(machine, compute.location);
  check(node.has_value(), "a compute is not mapped");
  const acg::Capability* capability = codelet::find_capability(acg::get(machine, node.value()), compute.capability,
                                                               dtypes.at(compute.destination.surrogate), types);
  check(capability != nullptr, "a compute is mapped to a node that cannot do it");
  return *capability;
}

/// A local that two nodes use is laid out for the one that works on more at once.
void keep_largest(std::vector<uint64_t>& shape, const std::vector<uint64_t>& other) {
  const auto elements = [](const std::vector<uint64_t>& extents) {
    return std::accumulate(extents.begin(), extents.end(), uint64_t{1}, std::multiplies<>());
  };
  if (shape.empty() || elements(other) > elements(shape)) shape = other;
}

}  // namespace

LocalLayout local_layout(const acg::Machine& machine, acg::MemoryId memory, DType dtype, std::vector<int64_t> shape,
                         const std::vector<uint64_t>& vector_shape) {
  LocalLayout layout;
  layout.memory = memory;
  layout.dtype = dtype;
  layout.shape = std::move(shape);
  layout.vector_rank = std::max<size_t>(1, vector_shape.size());
  check(layout.vector_rank <= layout.shape.size(), "a local has fewer dimensions than the vectors in it");
  layout.unit_bytes = acg::get(machine, memory).unit_bytes();
  layout.vector_bytes = bytes(dtype);
  for (const uint64_t extent : vector_shape) layout.vector_bytes *= extent;
  layout.alignment_units = std::max<uint64_t>(1, layout.vector_bytes / layout.unit_bytes);
  const size_t rank = layout.shape.size();
  layout.byte_strides.resize(rank);
  uint64_t stride = bytes(dtype);
  for (size_t d = rank; d-- > 0;) {
    layout.byte_strides[d] = stride;
    stride *= static_cast<uint64_t>(layout.shape[d]);
    if (rank - d == layout.vector_rank) {
      // A row is complete: the next one starts in a unit of its own.
      stride = round_up(stride, layout.unit_bytes);
    }
  }
  layout.units = stride / layout.unit_bytes;
  return layout;
}

std::map<std::string, LocalLayout> local_layouts(const Codelet& codelet, const acg::Machine& machine) {
  const std::map<std::string, DType> dtypes = tensor_dtypes(codelet);
  std::map<std::string, std::vector<uint64_t>> vectors;
  for_each_operation(codelet.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
    const auto* compute = std::get_if<Compute>(&operation.op);
    if (compute == nullptr) return;
    const acg::Capability& capability = find(dtypes, machine, *compute);
    keep_largest(vectors[compute->destination.surrogate], capability.output.shape);
    for (size_t i = 0; i < compute->operands.size(); ++i) {
      if (const auto* reference = std::get_if<Reference>(&compute->operands[i])) {
        keep_largest(vectors[reference->surrogate], capability.inputs[i].shape);
      }
    }
  });
  std::map<std::string, LocalLayout> layouts;
  for_each_operation(codelet.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
    const auto* transfer = std::get_if<Transfer>(&operation.op);
    if (transfer == nullptr || transfer->local.empty()) return;
    const auto memory = acg::find_memory(machine, transfer->location);
    check(memory.has_value(), "a local has no memory");
    const auto vector = vectors.find(transfer->local);
    layouts.emplace(transfer->local,
                    local_layout(machine, *memory, dtypes.at(transfer->local), constants(transfer->shape),
                                 vector == vectors.end() ? std::vector<uint64_t>{} : vector->second));
  });
  return layouts;
}

const acg::Capability& capability_of(const Codelet& codelet, const acg::Machine& machine, const Compute& compute) {
  return find(tensor_dtypes(codelet), machine, compute);
}

}  // namespace covenant::compiler
