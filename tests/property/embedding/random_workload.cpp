#include "tests/property/embedding/random_workload.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "acg/graph/graph.h"
#include "tests/support/embedding/workloads.h"

namespace covenant::test {
namespace {

using namespace compiler::embedding;

uint64_t below(std::mt19937_64& random, uint64_t bound) { return random() % bound; }

/// Adds a dimension for the axis, or lets it share the last one.
void index_by(std::mt19937_64& random, Access& access, size_t axis, size_t axes, bool may_share) {
  if (access.indices.empty() || !may_share || below(random, 3) != 0) {
    access.indices.push_back({0, std::vector<int64_t>(axes, 0)});
  }
  access.indices.back().coefficients[axis] = below(random, 5) == 0 ? 2 : 1;
}

std::string text_of(const Access& access, const Workload& workload) {
  std::string text = access.tensor + "[";
  for (const AffineIndex& index : access.indices) {
    if (text.back() != '[') text += ", ";
    std::string sum;
    for (size_t a = 0; a < index.coefficients.size(); ++a) {
      if (!index.mentions(a)) continue;
      if (!sum.empty()) sum += " + ";
      sum += fmt::format("{}*{}", workload.axes[a].name, index.coefficients[a]);
    }
    text += sum;
  }
  return text + (access.is_constant ? "] constant" : "]");
}

}  // namespace

Workload random_workload(std::mt19937_64& random, const std::string& compute, int64_t most) {
  Workload workload;
  workload.compute = compute;
  const size_t axes = 1 + below(random, 4);
  int64_t count = 1;
  for (size_t a = 0; a < axes; ++a) {
    const auto extent =
        static_cast<int64_t>(1 + below(random, static_cast<uint64_t>(std::min<int64_t>(6, most / count))));
    workload.axes.push_back({std::string(1, static_cast<char>('a' + a)), extent, false});
    count *= extent;
  }
  workload.output.tensor = "out";
  for (const char* name : {"x", "w"}) {
    Access access;
    access.tensor = name;
    access.dtype = DType::kI8;
    access.is_constant = name[0] == 'w' ? below(random, 4) != 0 : below(random, 6) == 0;
    workload.inputs.push_back(access);
  }
  for (size_t a = 0; a < axes; ++a) {
    // Mostly one of the roles of a product; sometimes any operands, as the channels of a depthwise convolution.
    const uint64_t roles[] = {0b011, 0b101, 0b110, 0b111, 1 + below(random, 7)};
    const uint64_t role = compute == "ADD" ? 0b111 - (below(random, 4) == 0 ? 0b010 : 0) : roles[below(random, 5)];
    if ((role & 1U) != 0) index_by(random, workload.inputs[0], a, axes, true);
    if ((role & 2U) != 0) index_by(random, workload.inputs[1], a, axes, below(random, 4) == 0);
    if ((role & 4U) != 0 || compute == "ADD") index_by(random, workload.output, a, axes, false);
    workload.axes[a].is_reduction = !workload.output.mentions(a);
  }
  return workload;
}

Instruction random_instruction(std::mt19937_64& random, int64_t most) {
  const auto bound = static_cast<uint64_t>(most);
  const uint64_t first = 1 + below(random, bound), second = 1 + below(random, bound / first),
                 third = 1 + below(random, bound / first / second);
  switch (below(random, 4)) {
    case 0:
      return mac(first, second);
    case 1: {
      acg::Capability add{"ADD", {DType::kI32, {first}}, {{DType::kI8, {first}}, {DType::kI8, {first}}}};
      return *instruction_of(add);
    }
    default: {
      uint64_t sizes[] = {first, second, third};
      std::swap(sizes[0], sizes[below(random, 3)]);
      std::swap(sizes[1], sizes[1 + below(random, 2)]);
      return gemm(sizes[0], sizes[1], sizes[2]);
    }
  }
}

std::string text_of(const Workload& workload) {
  std::string text = workload.compute + " " + text_of(workload.output, workload);
  for (const Access& access : workload.inputs) text += " " + text_of(access, workload);
  for (const Axis& axis : workload.axes) text += fmt::format("; {} {}", axis.name, axis.extent);
  return text;
}

}  // namespace covenant::test
