/// A family of machines that take a graph as a whole: one unit that adds two tensors where they lie in memory. It is
/// handed to the driver as a table of its own.
#pragma once

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "acg/lang/load.h"
#include "acg/program/program.h"
#include "compiler/codelet/print.h"
#include "compiler/driver/families.h"
#include "compiler/families/family.h"
#include "compiler/layers/constants.h"
#include "compiler/library/library.h"
#include "compiler/passes/bind.h"
#include "compiler/srdfg/queries.h"

namespace covenant::test {

inline acg::Machine adder_machine() {
  const Result<acg::Machine> machine = acg::parse_machine(
      "acg adder {\n"
      "  memory M { kind = offchip; data_width = 8; depth = 64K; }\n"
      "  compute ADDER { unit = described; (u8,1) = REQUANT_ADD((u8,1),(u8,1),(f32,1),(f32,1),(f32,1)); }\n"
      "  memory S { data_width = 8; banks = 4; depth = 64; }\n"
      "  edge M <-> S { bandwidth = 32; }\n"
      "  edge S <-> ADDER;\n"
      "}\n",
      "adder.acg");
  if (!machine) throw std::runtime_error(render(machine.error()));
  return *machine;
}

/// Takes graphs of one `add` of two inputs of u8. Its program lays out the three tensors and adds them in one block.
class AdderTarget : public compiler::Target {
 public:
  explicit AdderTarget(const acg::Machine& machine) : machine_(machine) {}

  Status check_supported() const override { return Done{}; }

  compiler::Staged<acg::Program> compile(const compiler::srdfg::Graph& graph, const std::string& model,
                                         const compiler::CompileOptions& options) const override {
    if (graph.nodes.size() != 1 || graph.nodes[0].operation != "add") {
      return Diagnostic{"TST0001", {}, graph.name, "this machine adds two tensors, and nothing else", "", {}, ""};
    }
    const compiler::srdfg::Node& node = graph.nodes[0];
    acg::Program program{
        .machine = machine_, .model = model, .segments = {}, .inputs = {}, .outputs = {}, .blocks = {}};
    acg::Block block{.layer = node.name, .operation = node.operation, .codelet = {}, .bindings = {}};
    place(graph.get(node.inputs[0]), "a", acg::SegmentKind::kInput, program.inputs, block, program);
    place(graph.get(node.inputs[1]), "b", acg::SegmentKind::kInput, program.inputs, block, program);
    place(graph.get(node.outputs[0]), "y", acg::SegmentKind::kOutput, program.outputs, block, program);
    block.codelet = codelet_of(graph, node);
    program.blocks.push_back(std::move(block));
    if (auto told = compiler::report(options, "assembly", compiler::stage_text(program)); !told) return told.ended();
    return program;
  }

 private:
  static void place(const compiler::srdfg::Value& value, const std::string& surrogate, acg::SegmentKind kind,
                    std::vector<acg::TensorBinding>& bindings, acg::Block& block, acg::Program& program) {
    const uint64_t elements = compiler::srdfg::element_count(value.shape);
    acg::TensorBinding binding;
    binding.name = value.name;
    binding.dtype = value.dtype;
    binding.shape = value.shape;
    const std::vector<uint64_t> strides = compiler::srdfg::row_major_strides(value.shape);
    for (size_t d = 0; d < strides.size(); ++d) binding.strides.push_back({{value.shape[d], strides[d]}});
    binding.elements = elements;
    binding.address = program.memory_bytes;
    program.segments.push_back({value.name, kind, program.memory_bytes, elements, {}});
    program.memory_bytes += elements;
    block.bindings[surrogate] = value.name;
    bindings.push_back(std::move(binding));
  }

  static std::string codelet_of(const compiler::srdfg::Graph& graph, const compiler::srdfg::Node& node) {
    using compiler::codelet::Constant;
    const auto quantization = [&](compiler::srdfg::ValueId id) { return graph.get(id).quantization.value(); };
    const compiler::AddScalars scalars = compiler::add_scalars(
        quantization(node.inputs[0]), quantization(node.inputs[1]), quantization(node.outputs[0]));
    compiler::Layer layer{.name = node.name, .params = {}};
    layer.params["P"] = int64_t{1};
    layer.params["C"] = static_cast<int64_t>(compiler::srdfg::element_count(graph.get(node.outputs[0]).shape));
    layer.params["SA"] = Constant{DType::kF32, 0, scalars.scale_a};
    layer.params["SB"] = Constant{DType::kF32, 0, scalars.scale_b};
    layer.params["OFFSET"] = Constant{DType::kF32, 0, scalars.offset};
    layer.params["ZY"] = int64_t{quantization(node.outputs[0]).zero_points.at(0)};
    layer.params["LOWEST"] = compiler::srdfg::integer_attribute(node, "lowest");
    layer.params["HIGHEST"] = compiler::srdfg::integer_attribute(node, "highest");
    for (const char* name : {"a", "b", "y"}) layer.dtypes[name] = DType::kU8;
    const Result<compiler::codelet::Codelet> bound = compiler::bind(*compiler::library_codelet("add"), layer);
    if (!bound) throw std::runtime_error(render(bound.error()));
    return compiler::codelet::print(*bound);
  }

  const acg::Machine& machine_;
};

/// The table that has this family alone.
inline compiler::Families adder_alone() {
  static const std::array kFamilies{compiler::Family{
      .name = "adder",
      .owns = [](const acg::Machine& machine) { return machine.name == "adder"; },
      .target = [](const acg::Machine& machine, const compiler::Optimisations&) -> std::unique_ptr<compiler::Target> {
        return std::make_unique<AdderTarget>(machine);
      },
      .stages = [] { return std::vector<std::string>{}; }}};
  return kFamilies;
}

}  // namespace covenant::test
