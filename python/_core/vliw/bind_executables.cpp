#include "python/_core/vliw/bind_executables.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "acg/isa/vliw/elf_file.h"
#include "acg/isa/vliw/elf_listing.h"
#include "acg/isa/vliw/packet_loops.h"
#include "acg/program/packet_program.h"
#include "python/_core/common/errors.h"
#include "python/_core/common/events.h"
#include "python/_core/vliw/packet_profile.h"
#include "sim/vliw/execute.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments

std::span<const uint8_t> bytes_of(const std::string& data) {
  return {reinterpret_cast<const uint8_t*>(data.data()), data.size()};
}

/// Reads the file; errors name it.
acg::ElfFile read(const std::string& data, const std::string& name) {
  Result<acg::ElfFile> file = acg::read_elf(bytes_of(data));
  if (file) return *std::move(file);
  Diagnostic diagnostic = file.error();
  diagnostic.where.file = name;
  throw DiagnosticException(std::move(diagnostic));
}

py::dict to_object(const sim::ExecuteResult& result) {
  return py::dict("exit_code"_a = result.exit_code, "output"_a = py::bytes(result.output),
                  "errors"_a = py::bytes(result.errors), "packets"_a = result.packets, "cycles"_a = result.cycles,
                  "events"_a = to_python(result.events), "profile"_a = to_python(result.profile),
                  "trace_json"_a = result.trace);
}

py::dict execute(const acg::Machine& machine, const std::string& file, const std::string& name, bool cycles,
                 bool profile, uint64_t max_packets, const std::string& input, bool trace,
                 std::pair<uint64_t, uint64_t> packets) {
  const sim::ExecuteResult result = [&] {
    const py::gil_scoped_release released;
    return value_or_throw(sim::execute(read(file, name), machine,
                                       {cycles, profile, max_packets, input, trace, {packets.first, packets.second}}));
  }();
  return to_object(result);
}

/// `files`: the bytes and the name of each.
py::dict execute_together(const acg::Machine& machine, const std::vector<std::pair<std::string, std::string>>& files,
                          bool cycles, bool profile, uint64_t max_packets, const std::string& input, bool trace,
                          std::pair<uint64_t, uint64_t> packets) {
  const sim::ExecuteTogetherResult result = [&] {
    const py::gil_scoped_release released;
    std::vector<acg::ElfFile> read_files;
    for (const auto& [content, name] : files) read_files.push_back(read(content, name));
    return value_or_throw(sim::execute_together(
        read_files, machine, {cycles, profile, max_packets, input, trace, {packets.first, packets.second}}));
  }();
  py::list contexts;
  for (const sim::ExecuteResult& one : result.contexts) contexts.append(to_object(one));
  return py::dict("cycles"_a = result.cycles, "packets"_a = result.packets, "events"_a = to_python(result.events),
                  "contexts"_a = contexts, "trace_json"_a = result.trace);
}

/// In which loop each packet is; `packets`: address and text, in the order of their addresses.
std::vector<std::string> loop_numbers(const acg::Machine& machine,
                                      const std::vector<std::pair<uint32_t, std::string>>& packets) {
  const acg::PacketCodec codec(machine);
  std::vector<acg::AddressedPacket> known;
  for (const auto& [address, text] : packets) {
    known.push_back({address, value_or_throw(codec.assemble(text, address))});
  }
  return acg::loop_numbers(known);
}

py::bytes elf_of(const acg::Program& program) {
  const std::vector<uint8_t> data = acg::elf_bytes(value_or_throw(acg::elf_of(program)));
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

std::string disassemble_executable(const acg::Machine& machine, const std::string& file, const std::string& name) {
  return value_or_throw(acg::disassemble_executable(read(file, name), machine));
}

}  // namespace

void bind_executables(py::module_& core) {
  core.def("elf_of", &elf_of, "program"_a);
  core.def("is_elf", [](const std::string& data) { return acg::is_elf(bytes_of(data)); }, "data"_a);
  core.def("execute", &execute, "machine"_a, "file"_a, "name"_a, "cycles"_a, "profile"_a, "max_packets"_a, "input"_a,
           "trace"_a, "packets"_a);
  core.def("execute_together", &execute_together, "machine"_a, "files"_a, "cycles"_a, "profile"_a, "max_packets"_a,
           "input"_a, "trace"_a, "packets"_a);
  core.def("loop_numbers", &loop_numbers, "machine"_a, "packets"_a, py::call_guard<py::gil_scoped_release>());
  core.def("disassemble_executable", &disassemble_executable, "machine"_a, "file"_a, "name"_a,
           py::call_guard<py::gil_scoped_release>());
}

}  // namespace covenant::python
