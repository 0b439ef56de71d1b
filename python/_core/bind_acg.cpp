/// Python bindings of machines and programs.
#include <map>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

#include "acg/gen/isa_manual.h"
#include "acg/graph/graph.h"
#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "acg/lang/json.h"
#include "acg/lang/load.h"
#include "acg/lang/print.h"
#include "acg/program/listing.h"
#include "acg/program/packet_program.h"
#include "acg/program/program.h"
#include "acg/program/program_file.h"
#include "python/_core/bind.h"
#include "python/_core/common/errors.h"
#include "python/_core/common/file_bindings.h"
#include "python/_core/common/numpy_name.h"
#include "python/_core/common/tensor_object.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments

using Settings = std::vector<std::pair<std::string, std::string>>;

acg::Machine load_machine(const std::string& spec, const py::dict& settings) {
  Settings set;
  for (const auto& [name, value] : settings) set.emplace_back(py::str(name), py::str(value));
  return value_or_throw(acg::load_machine(spec, set));
}

std::vector<std::string> engine_names(const acg::Machine& machine) {
  std::vector<std::string> names;
  for (const acg::Engine& engine : acg::engines(machine)) names.push_back(engine.name);
  return names;
}

py::list describe(const std::vector<acg::Block>& blocks) {
  py::list list;
  for (const acg::Block& block : blocks) {
    list.append(py::dict("layer"_a = block.layer, "operation"_a = block.operation, "words"_a = block.words,
                         "macs"_a = block.macs, "elementwise"_a = block.elementwise,
                         "fused"_a = py::tuple(py::cast(block.fused))));
  }
  return list;
}

const char* name(acg::SegmentKind kind) {
  switch (kind) {
    case acg::SegmentKind::kInstructions:
      return "instructions";
    case acg::SegmentKind::kConstant:
      return "constant";
    case acg::SegmentKind::kInput:
      return "input";
    case acg::SegmentKind::kOutput:
      return "output";
    case acg::SegmentKind::kIntermediate:
      break;
  }
  return "intermediate";
}

py::list describe(const std::vector<acg::Segment>& segments) {
  py::list list;
  for (const acg::Segment& segment : segments) {
    list.append(py::dict("name"_a = segment.name, "kind"_a = name(segment.kind), "address"_a = segment.address,
                         "size"_a = segment.size, "filled"_a = !segment.data.empty()));
  }
  return list;
}

/// Instruction words as Python's integers, which have any width.
py::list words_of(const acg::Program& program) {
  py::list list;
  for (const acg::InstructionWord& word : acg::instruction_words(program)) {
    py::int_ number(word.bits(0, 64));
    for (uint32_t low = 64; low < program.machine.word_bits; low += 64) {
      number = number | (py::int_(word.bits(low, 64)) << py::int_(low));
    }
    list.append(number);
  }
  return list;
}

/// Their numbers by their names, in the order of the machine.
py::dict offchip_memories(const acg::Machine& machine) {
  py::dict numbers;
  for (size_t number = 0; number < machine.memories.size(); ++number) {
    const acg::Memory& memory = machine.memories[number];
    if (memory.kind == acg::MemoryKind::kOffchip) numbers[py::str(memory.name)] = number;
  }
  return numbers;
}

void bind_machine(py::module_& core) {
  py::class_<acg::Machine>(core, "Machine")
      .def_property_readonly(
          "requant",
          [](const acg::Machine& machine) { return acg::name_in(kRequantizations, acg::requantization(machine)); })
      .def_property_readonly("saturates", [](const acg::Machine& machine) { return acg::saturates(machine); })
      .def_property_readonly("accumulator_bits",
                             [](const acg::Machine& machine) { return acg::accumulator_bits(machine); })
      .def_property_readonly("issues_packets", [](const acg::Machine& machine) { return acg::issues_packets(machine); })
      .def_readonly("clock_hertz", &acg::Machine::clock_hertz)
      .def_readonly("name", &acg::Machine::name)
      .def_readonly("preset", &acg::Machine::preset)
      .def_readonly("parameters", &acg::Machine::parameters)
      .def_property_readonly("engines", &engine_names)
      .def_property_readonly("offchip_memories", &offchip_memories)
      .def("to_json", [](const acg::Machine& machine) { return acg::to_json(machine); })
      .def("print", [](const acg::Machine& machine) { return acg::print(machine); })
      .def("isa_manual", [](const acg::Machine& machine) { return acg::isa_manual(machine); })
      .def(
          "__eq__", [](const acg::Machine& one, const acg::Machine& other) { return one == other; }, py::is_operator());
  core.def("builtin_machines", &acg::builtin_machines);
  core.def("builtin_presets", &acg::builtin_presets, "machine"_a);
  core.def("load_machine", &load_machine, "spec"_a, "settings"_a);
  core.def(
      "machine_parameters", [](const std::string& spec) { return value_or_throw(acg::machine_parameters(spec)); },
      "spec"_a);
  core.def("machine_from_json", [](const std::string& text) { return value_or_throw(acg::from_json(text)); }, "text"_a);
}

void bind_results(py::module_& core) {
  py::class_<acg::BlockResult>(core, "BlockResult")
      .def_readonly("block", &acg::BlockResult::block)
      .def_property_readonly("name", [](const acg::BlockResult& result) { return result.tensor.name; })
      .def_property_readonly("dtype", [](const acg::BlockResult& result) { return numpy_name(result.tensor.dtype); })
      .def_property_readonly("shape", [](const acg::BlockResult& result) { return result.tensor.shape; });
}

void bind_program(py::module_& core) {
  py::class_<acg::Program> bound(core, "Program");
  bound.def_readonly("model", &acg::Program::model)
      .def_readonly("machine", &acg::Program::machine)
      .def_readonly("memory_bytes", &acg::Program::memory_bytes)
      .def_property_readonly("inputs", [](const acg::Program& program) { return tensor_objects(program.inputs); })
      .def_property_readonly("outputs", [](const acg::Program& program) { return tensor_objects(program.outputs); })
      .def_property_readonly("blocks", [](const acg::Program& program) { return describe(program.blocks); })
      .def_property_readonly("bindings",
                             [](const acg::Program& program) {
                               std::vector<std::map<std::string, std::string>> bindings;
                               for (const acg::Block& block : program.blocks) bindings.push_back(block.bindings);
                               return bindings;
                             })
      .def_property_readonly("segments", [](const acg::Program& program) { return describe(program.segments); })
      .def_property_readonly("words", &words_of)
      .def_property_readonly("word_bits", [](const acg::Program& program) { return program.machine.word_bits; })
      .def("disassemble", &acg::disassemble);
  bind_file(bound, &acg::write_program);
  core.def(
      "read_program",
      [](const std::string& data, const std::string& file_name) {
        return value_or_throw(acg::read_program(bytes_of(data), file_name));
      },
      "data"_a, "file_name"_a, py::call_guard<py::gil_scoped_release>());
}

}  // namespace

void bind_acg(py::module_& core) {
  bind_machine(core);
  bind_results(core);
  bind_program(core);
}

}  // namespace covenant::python
