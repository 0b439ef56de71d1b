/// Python bindings of machines that are driven by commands.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

#include "acg/base/check.h"
#include "acg/behaviour/evaluator.h"
#include "acg/behaviour/load.h"
#include "python/_core/bind.h"
#include "python/_core/command_functions.h"
#include "python/_core/command_records.h"
#include "python/_core/common/errors.h"
#include "runtime/commands/adaptive_engine.h"
#include "runtime/commands/native_engine.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments
using acg::behaviour::Behaviour;
using acg::behaviour::Engine;
using acg::behaviour::Evaluator;

/// Whether Python wants a call to go on; if not, an exception is pending.
bool goes_on() { return PyErr_Occurred() == nullptr && PyErr_CheckSignals() == 0; }

std::unique_ptr<Engine> opened(Behaviour behaviour, const std::string& engine) {
  if (engine == "recorded" || engine == "evaluator") {
    auto machine = engine == "recorded" ? std::make_unique<RecordedEvaluator>(std::move(behaviour))
                                        : std::make_unique<Evaluator>(std::move(behaviour));
    machine->ask(goes_on);
    return machine;
  }
  const runtime::NativeOptions options{{}, goes_on};
  if (engine == "auto") return runtime::open_adaptive(std::move(behaviour), options);
  Result<std::unique_ptr<runtime::NativeEngine>> native = runtime::open_native(std::move(behaviour), options);
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value_or_throw(std::move(native));
}

/// A machine on the engine that is asked for: "auto", "native", "evaluator" or "recorded".
std::unique_ptr<Engine> open_commands(const std::string& spec, const py::dict& settings, const std::string& engine) {
  std::vector<std::pair<std::string, std::string>> set;
  for (const auto& [name, value] : settings) set.emplace_back(py::str(name), py::str(value));
  Behaviour behaviour = value_or_throw(acg::behaviour::load_behaviour(spec, set));
  Diagnostic no_memory = acg::behaviour::no_memory_for(behaviour);
  try {
    return opened(std::move(behaviour), engine);
  } catch (const std::bad_alloc&) {
    throw DiagnosticException(std::move(no_memory));
  }
}

const RecordedEvaluator& recorded(const Engine& machine) {
  const auto* found = dynamic_cast<const RecordedEvaluator*>(&machine);
  check(found != nullptr, "a machine that was opened to be recorded");
  return *found;
}

/// Throws what Python wants the call to end with, if it does.
template <typename Answer>
Answer answer(Result<Answer> said) {
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value_or_throw(std::move(said));
}

py::bytes send_command(Engine& machine, const std::string& port, bool writes, uint64_t address, const py::bytes& data,
                       uint64_t most_cycles) {
  const std::string bytes = data;
  const std::vector<uint8_t> reply =
      answer(machine.command(port, {writes, address, {bytes.begin(), bytes.end()}}, most_cycles));
  return py::bytes(std::string(reply.begin(), reply.end()));
}

/// The exception that is pending, with what has been done before it if it is an interrupt.
py::error_already_set with_sent(const py::tuple& sent) {
  py::error_already_set error;
  if (error.matches(PyExc_KeyboardInterrupt)) error.value().attr("sent") = sent;
  return error;
}

/// Sends commands until one is refused: how many were not, what those read one after another, and the cycles before the
/// last of them. Addresses are of 8 bytes each, data of as many as the port has. An interrupt has these three as
/// `sent`.
py::tuple send_commands(Engine& machine, const std::string& port, const std::string& writes,
                        const std::string& addresses, const std::string& data, uint64_t most_cycles) {
  const size_t width = data.size() / std::max<size_t>(writes.size(), 1);
  std::string read;
  uint64_t before = machine.cycles();
  acg::behaviour::Command command;
  for (size_t i = 0; i < writes.size(); ++i) {
    const auto first = data.begin() + static_cast<std::ptrdiff_t>(i * width);
    command.writes = writes[i] != 0;
    std::memcpy(&command.address, addresses.data() + 8 * i, 8);
    command.data.assign(first, first + static_cast<std::ptrdiff_t>(width));
    const uint64_t now = machine.cycles();
    const Result<std::vector<uint8_t>> reply = machine.command(port, command, most_cycles);
    if (PyErr_Occurred() != nullptr) throw with_sent(py::make_tuple(i, py::bytes(read), before));
    if (!reply) return py::make_tuple(i, py::bytes(read), before);
    before = now;
    read.append(reply->begin(), reply->end());
  }
  return py::make_tuple(writes.size(), py::bytes(read), before);
}

void wait_for(Engine& machine, uint64_t most_cycles) {
  if (answer(machine.run(most_cycles))) return;
  throw DiagnosticException(acg::behaviour::no_interrupt(machine.behaviour().machine, most_cycles));
}

/// Statements as `(text, counter or None, statements inside)`.
py::list listed(const std::vector<acg::behaviour::Statement>& statements) {
  py::list result;
  for (const acg::behaviour::Statement& one : statements) {
    const py::object counter =
        one.is_loop ? py::object(py::make_tuple(one.counter.low, one.counter.high)) : py::object(py::none());
    result.append(py::make_tuple(one.text, counter, listed(one.children)));
  }
  return result;
}

py::dict describe_commands(const Engine& machine) {
  const Behaviour& behaviour = machine.behaviour();
  py::list ports, states, instructions, processes, functions, intrinsics;
  for (const acg::behaviour::Port& port : behaviour.ports) {
    ports.append(py::dict("name"_a = port.name, "address_bits"_a = port.address_bits, "data_bits"_a = port.data_bits,
                          "is_stream"_a = port.is_stream));
  }
  for (const acg::behaviour::State& state : behaviour.states) {
    states.append(py::dict("name"_a = state.name, "type"_a = text_of(state.type), "elements"_a = state.type.elements(),
                           "is_off_chip"_a = state.is_off_chip));
  }
  for (const acg::behaviour::Instruction& instruction : behaviour.instructions) {
    py::list fields;
    for (const acg::behaviour::Field& field : instruction.fields) {
      fields.append(
          py::dict("name"_a = field.variable.name, "type"_a = text_of(field.variable.type), "at"_a = field.at));
    }
    py::list decode;
    for (const acg::behaviour::BitTest& test : instruction.decode) {
      decode.append(py::make_tuple(test.at, test.bits, test.low, test.high));
    }
    instructions.append(py::dict("name"_a = instruction.name, "port"_a = behaviour.ports[instruction.port].name,
                                 "fields"_a = fields, "decode"_a = decode, "update"_a = listed(instruction.listing),
                                 "line"_a = instruction.where.line));
  }
  for (const acg::behaviour::Process& process : behaviour.processes) {
    processes.append(py::dict("name"_a = process.name, "code"_a = listed(process.listing)));
  }
  for (const acg::behaviour::Intrinsic& one : behaviour.intrinsics) {
    intrinsics.append(py::dict("name"_a = one.name, "is_exact"_a = one.is_exact, "computes"_a = one.computes,
                               "where"_a = one.where_text, "file"_a = one.where.file, "line"_a = one.where.line,
                               "column"_a = one.where.column));
  }
  for (const acg::behaviour::Function& function : behaviour.functions) {
    py::list arguments;
    for (const acg::behaviour::Variable& one : function.arguments) {
      arguments.append(py::make_tuple(one.name, text_of(one.type)));
    }
    functions.append(py::dict("name"_a = function.name, "arguments"_a = arguments, "type"_a = text_of(function.type),
                              "code"_a = listed(function.listing)));
  }
  return py::dict("name"_a = behaviour.machine, "clock_hertz"_a = behaviour.hertz, "ports"_a = ports,
                  "state"_a = states, "instructions"_a = instructions, "processes"_a = processes,
                  "intrinsics"_a = intrinsics, "functions"_a = functions, "formats"_a = describe_formats(behaviour));
}

/// Has a state lie in an array of as many bytes, which its holder keeps alive. Precondition: it is off-chip.
void use_memory(Engine& machine, const std::string& name, py::array bytes) {
  const std::vector<acg::behaviour::State>& states = machine.behaviour().states;
  const auto state = std::find_if(states.begin(), states.end(), [&](const auto& one) { return one.name == name; });
  check(state != states.end() && state->is_off_chip && bytes.nbytes() == state->type.elements(), "bytes of a memory");
  machine.use_memory(static_cast<size_t>(state - states.begin()), static_cast<uint8_t*>(bytes.mutable_data()));
}

/// The engine that the machine runs on at present.
std::string engine_of(const Engine& machine) {
  if (const auto* adaptive = dynamic_cast<const runtime::AdaptiveEngine*>(&machine)) {
    return adaptive->is_compiled() ? "native" : "evaluator";
  }
  return dynamic_cast<const Evaluator*>(&machine) != nullptr ? "evaluator" : "native";
}

}  // namespace

void bind_commands(py::module_& core) {
  core.def("builtin_command_machines", acg::builtin_command_machines);
  core.def("has_machine_compiler", runtime::has_machine_compiler);
  py::class_<Engine>(core, "CommandMachine")
      .def(py::init(&open_commands), "spec"_a, "settings"_a, "engine"_a)
      .def_property_readonly("engine", &engine_of)
      .def_property_readonly("name", [](const Engine& machine) { return machine.behaviour().machine; })
      .def_property_readonly("cycles", &Engine::cycles)
      .def("command", &send_command, "port"_a, "writes"_a, "address"_a, "data"_a, "most_cycles"_a)
      .def("commands", &send_commands, "port"_a, "writes"_a, "addresses"_a, "data"_a, "most_cycles"_a)
      .def("wait", &wait_for, "most_cycles"_a)
      .def("use_memory", &use_memory, "name"_a, "memory"_a, py::keep_alive<1, 3>())
      .def(
          "call",
          [](const Engine& machine, const std::string& name, const Numbers& rows) {
            return call_function(machine.behaviour(), name, rows);
          },
          "name"_a, "rows"_a)
      .def("counts", [](const Engine& machine) { return recorded_counts(recorded(machine)); })
      .def("trace", [](const Engine& machine) { return recorded_trace(recorded(machine)); })
      .def("describe", &describe_commands);
}

}  // namespace covenant::python
