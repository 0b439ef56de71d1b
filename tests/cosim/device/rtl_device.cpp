#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <stdexcept>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

#include "acg/lang/print.h"
#include "rtl/cosim/process.h"
#include "rtl/gen/generate.h"
#include "tests/cosim/device/device.h"
#include "tests/cosim/device/device_abi.h"
#include "tests/support/folders.h"

namespace covenant::driver::testing {
namespace {

namespace fs = std::filesystem;
using covenant::testing::DeviceMemory;
using covenant::testing::MakeDevice;
using covenant::testing::VerilatedDevice;

std::string content(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Files = std::map<std::string, std::string>;

/// The part of a text from `begin` (included) up to `end` (excluded).
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t from = text.find(begin);
  const size_t to = text.find(end, from);
  if (from == std::string::npos || to == std::string::npos) throw std::runtime_error("no " + begin + " in the RTL");
  return text.substr(from, to - from);
}

/// The device without its AXI masters: the host's side and the machine, with the machine's own off-chip ports.
std::string native_top(const Files& files) {
  const std::string& device = files.at("covenant_axi_top.sv");
  const std::string faults = between(between(device, "  logic [", "core_fault;"), "[", "]") + "]";
  return "module device_top (\n" + between(files.at("covenant_host.sv"), "  input  logic clk_i", "  // Machine") +
         "  input  logic " + faults +
         " memory_fault_i,\n  input  logic [63:0] memory_address_i,\n  input  logic memory_idle_i,\n" +
         between(files.at("covenant_top.sv"), "  // Off-chip ports", ");") + ");\n" +
         between(device, "  logic core_rst_n", "    .clk_i") +
         R"(    .*, .core_rst_no(core_rst_n), .core_start_o(core_start), .core_entry_o(core_entry),
    .core_block_done_i(core_block_done), .core_done_i(core_done), .core_fault_i(core_fault),
    .bytes_read_i(bytes_read), .bytes_written_i(bytes_written), .stalled_i(8'($countones(stalled)))
  );
  covenant_top u_top (.*, .rst_ni(core_rst_n), .start_i(core_start), .entry_i(core_entry), .done_o(core_done),
    .block_done_o(core_block_done), .fault_o(core_fault), .stalled_o(stalled));
endmodule
)";
}

/// All that a device is built of, by name.
Files files_of(const acg::Machine& machine) {
  const auto generated = rtl::generate(machine);
  if (!generated) throw std::runtime_error(render(generated.error()));
  Files files = *generated;
  files["device_top.sv"] = native_top(files);
  const fs::path source = source_folder();
  for (const char* name : {"tests/cosim/device/device_shim.cpp", "tests/cosim/device/device_abi.h",
                           "tests/support/rtl/axi_lite.h", "rtl/cosim/offchip.h"})
    files[name] = content(source / name);
  return files;
}

std::vector<std::string> build_command() {
  return {"verilator",
          "--cc",
          "--exe",
          "--build",
          "--assert",
          "--x-assign",
          "fast",
          "--x-initial",
          "fast",
          "--top-module",
          "device_top",
          "--prefix",
          "Vcovenant_top",
          "--Mdir",
          "obj",
          "-o",
          "device.so",
          "-MAKEFLAGS",
          "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1",
          "-CFLAGS",
          "-std=c++20 -fPIC -fno-gnu-unique -I..",
          "-LDFLAGS",
          "-shared -Wl,-Bsymbolic",
          "-f",
          "covenant_axi.f",
          "device_top.sv",
          "tests/cosim/device/device_shim.cpp"};
}

/// Builds beside its place and renames: what is there is whole.
void build(const Files& files, const fs::path& folder) {
  const fs::path work = folder.string() + ".work";
  fs::remove_all(work);
  for (const auto& [name, text] : files) {
    fs::create_directories((work / name).parent_path());
    std::ofstream(work / name) << text;
  }
  if (rtl::run_process(build_command(), work, work / "build.log") != 0) {
    throw std::runtime_error(content(work / "build.log"));
  }
  fs::rename(work, folder);
}

/// The library of a machine's device, from the build tree if it is there. Processes take turns.
fs::path library_of(const acg::Machine& machine) {
  const Files files = files_of(machine);
  std::string all;
  for (const auto& [name, text] : files) all += name + text;
  const fs::path folder = fs::path(rtl_models_folder()) / fmt::format("device_{:016x}", std::hash<std::string>{}(all));
  fs::create_directories(folder.parent_path());
  const int lock = open((folder.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  flock(lock, LOCK_EX);
  if (!fs::exists(folder)) build(files, folder);
  close(lock);
  return folder / "obj" / "device.so";
}

MakeDevice built(const acg::Machine& machine) {
  static std::map<std::string, MakeDevice> known;
  MakeDevice& make = known[acg::print(machine)];
  if (make != nullptr) return make;
  void* handle = dlopen(library_of(machine).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  make = reinterpret_cast<MakeDevice>(dlsym(handle, covenant::testing::kMakeDevice));
  if (make == nullptr) throw std::runtime_error("no device in the library");
  return make;
}

Response response_of(uint32_t response) {
  return response == 0 ? Response::kOkay : response == 3 ? Response::kNobody : Response::kDeviceError;
}

class RtlDevice final : public Device, RegisterBus, MemoryBus {
 public:
  RtlDevice(const acg::Machine& machine, uint64_t bytes, bool is_slow) : contents_(machine.memories.size()) {
    std::vector<DeviceMemory> memories;
    for (uint32_t m = 0; m < machine.memories.size(); ++m) {
      if (machine.memories[m].kind != acg::MemoryKind::kOffchip) continue;
      contents_[m].resize(bytes);
      memories.push_back({m, contents_[m].data(), bytes});
    }
    device_.reset(built(machine)(memories.data(), static_cast<uint32_t>(memories.size())));
    if (is_slow) device_->slow_down();
  }

  RegisterBus& registers() override { return *this; }
  MemoryBus& memory() override { return *this; }
  Response write_bytes(uint32_t address, uint32_t value, uint32_t strobes) override {
    return response_of(device_->write(address, value, strobes));
  }
  bool interrupt() override { return device_->wait(0); }

 private:
  ReadResult read32(uint32_t address) override {
    const covenant::testing::DeviceAnswer answer = device_->read(address);
    return {response_of(answer.response), answer.value};
  }
  Response write32(uint32_t address, uint32_t value) override { return write_bytes(address, value, 0xF); }
  /// Machines here have a cycle of one nanosecond.
  bool wait_interrupt(std::chrono::nanoseconds timeout) override {
    return device_->wait(static_cast<uint64_t>(timeout.count()));
  }
  Response read(uint32_t memory, uint64_t address, std::span<uint8_t> bytes) override {
    if (!is_there(memory, address, bytes.size())) return Response::kNobody;
    std::memcpy(bytes.data(), contents_[memory].data() + address, bytes.size());
    return Response::kOkay;
  }
  Response write(uint32_t memory, uint64_t address, std::span<const uint8_t> bytes) override {
    if (!is_there(memory, address, bytes.size())) return Response::kNobody;
    std::memcpy(contents_[memory].data() + address, bytes.data(), bytes.size());
    return Response::kOkay;
  }
  bool is_there(uint32_t memory, uint64_t address, uint64_t bytes) const {
    return memory < contents_.size() && address <= contents_[memory].size() &&
           bytes <= contents_[memory].size() - address;
  }

  std::vector<std::vector<uint8_t>> contents_;  ///< contents of off-chip memories, by number
  std::unique_ptr<VerilatedDevice> device_;
};

}  // namespace

std::unique_ptr<Device> make_rtl_device(const acg::Machine& machine, uint64_t memory_bytes) {
  return std::make_unique<RtlDevice>(machine, memory_bytes, false);
}

std::unique_ptr<Device> make_slow_rtl_device(const acg::Machine& machine, uint64_t memory_bytes) {
  return std::make_unique<RtlDevice>(machine, memory_bytes, true);
}

}  // namespace covenant::driver::testing
