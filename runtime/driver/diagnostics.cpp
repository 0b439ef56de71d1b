#include "runtime/driver/diagnostics.h"

#include <fmt/format.h>

#include "acg/graph/queries.h"

namespace covenant::driver {
namespace {

std::string hex(uint64_t number) { return fmt::format("0x{:X}", number); }

std::string name_of(Response response) {
  return response == Response::kNobody ? "nothing is there" : "the device refuses it";
}

}  // namespace

std::string names_in(uint64_t bits, const std::vector<std::string>& names) {
  std::string text;
  for (size_t bit = 0; bit < 64; ++bit) {
    if (((bits >> bit) & 1U) == 0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", bit < names.size() ? names[bit] : fmt::format("bit {}", bit));
  }
  return text;
}

Diagnostic no_device(uint32_t identity) {
  return {"DRV0001",
          {},
          "identity",
          "there is no device with these registers",
          hex(identity),
          {hex(registers::kIdentityValue)},
          "give the base address of its window"};
}

Diagnostic other_version(uint32_t major) {
  return {"DRV0002",
          {},
          "version",
          "the registers of the device are of another version",
          std::to_string(major),
          {std::to_string(registers::kVersionMajor)},
          "use a driver of the device's version, or generate its RTL again"};
}

Diagnostic other_machine(const std::string& name, uint64_t device, uint64_t machine) {
  return {"DRV0003",
          {},
          name,
          "the device is another machine",
          hex(device),
          {hex(machine)},
          "compile the model for the machine of the device, or generate its RTL from this one"};
}

Diagnostic refused_access(const std::string& name, uint32_t address, Response response, bool is_write) {
  return {"DRV0004",
          {},
          name,
          fmt::format("a register cannot be {}: {}", is_write ? "written" : "read", name_of(response)),
          hex(address),
          {},
          "check the window of the device in the system's address map"};
}

Diagnostic refused_memory(const acg::Program& program, const acg::MemoryRange& range, Response response,
                          bool is_write) {
  return {
      "DRV0005",
      {},
      acg::get(program.machine, range.memory).name,
      fmt::format("the program's part of a memory cannot be {}: {}", is_write ? "written" : "read", name_of(response)),
      fmt::format("{} bytes", range.bytes),
      {},
      "give the system as much memory as the program needs"};
}

Diagnostic other_program(const acg::Program& program) {
  return {"DRV0006",
          {},
          program.model,
          "the program was compiled for another machine",
          program.machine.name,
          {},
          "compile the model again for the machine of the device"};
}

Diagnostic refused_start(registers::Refusal refusal, uint64_t entry) {
  if (refusal == registers::Refusal::kBusy) {
    return {"DRV0007",
            {},
            "start",
            "the device is busy: the run that is under way goes on",
            "",
            {},
            "wait for its end, or abort it"};
  }
  return {"DRV0008",
          {},
          "start",
          "no program can begin at this address",
          hex(entry),
          {"a multiple of a beat of instructions below 2^32"},
          "give the address of the program's first block"};
}

Diagnostic too_long(std::chrono::nanoseconds timeout) {
  return {"DRV0009",
          {},
          "wait",
          "the run has not come to its end in time, and goes on",
          fmt::format("{} ns", timeout.count()),
          {},
          "wait longer, or abort it"};
}

Diagnostic machine_fault(const std::string& names, uint64_t cycle) {
  return {"DRV0010",
          {},
          names,
          fmt::format("the machine stopped in cycle {}: a word or a token that must not be", cycle),
          "",
          {},
          "run the program on the systemc backend, which says what is wrong with it"};
}

Diagnostic memory_fault(const std::string& names, uint64_t address, uint64_t cycle) {
  return {"DRV0011",
          {},
          names,
          fmt::format("the machine stopped in cycle {}: a memory has answered with an error", cycle),
          hex(address),
          {},
          "give the system memory at this address, or start a program that is there"};
}

Diagnostic aborted(uint64_t cycle) {
  return {"DRV0012", {}, "wait", fmt::format("the run was aborted in cycle {}", cycle), "", {}, "start it again"};
}

Diagnostic nothing_started() {
  return {"DRV0013", {}, "wait", "no run was started since the device was reset", "", {}, "start a program first"};
}

Diagnostic other_image(uint64_t bytes, uint64_t program_bytes) {
  return {"DRV0014",
          {},
          "image",
          "the image has another size than the program's memory",
          std::to_string(bytes),
          {std::to_string(program_bytes)},
          "make it by `initial_image`"};
}

Diagnostic no_bytes(uint64_t address, uint64_t length) {
  return {"DRV0015",
          {},
          "memory",
          "these bytes are not all there",
          fmt::format("{} bytes from {} on", length, hex(address)),
          {},
          "open the device with more memory, and name one that is off the chip"};
}

}  // namespace covenant::driver
