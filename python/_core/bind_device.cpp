/// Python bindings of devices with registers, driven by runtime/driver.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "python/_core/bind.h"
#include "python/_core/common/arrays.h"
#include "python/_core/common/callback.h"
#include "python/_core/common/errors.h"
#include "runtime/driver/devices.h"
#include "runtime/driver/diagnostics.h"
#include "runtime/driver/driver.h"
#include "runtime/driver/rtl_device.h"
#include "runtime/session/image.h"
#include "runtime/session/rtl_options.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments
using std::chrono::nanoseconds;

/// More bursts than are ever under way: what a machine waits for is its own.
constexpr uint32_t kManyBursts = 128;
/// Device time after which to check whether Python wants the call to end.
constexpr nanoseconds kSlice = std::chrono::microseconds(20);

void need(const Status& status) {
  if (!status) throw DiagnosticException(status.error());
}

/// A device and its driver. Calls of one thread at a time.
class DrivenDevice {
 public:
  DrivenDevice(const acg::Machine& machine, std::unique_ptr<driver::Device> device)
      : device_(std::move(device)), driver_(value_or_throw(driver::Driver::open(*device_, *device_, machine))) {}

  driver::Device& device() { return *device_; }
  driver::Driver& driver() { return driver_; }

 private:
  std::unique_ptr<driver::Device> device_;
  driver::Driver driver_;
};

std::unique_ptr<DrivenDevice> open_systemc(const acg::Machine& machine, uint64_t memory_bytes,
                                           const std::string& memory) {
  auto device = value_or_throw(sim::Device::open(machine, memory_bytes, memory));
  return std::make_unique<DrivenDevice>(machine, std::make_unique<driver::SimulatedDevice>(std::move(device)));
}

std::unique_ptr<DrivenDevice> open_rtl(const acg::Machine& machine, uint64_t memory_bytes, const std::string& memory,
                                       const py::dict& build) {
  const BuildTelling telling(build);
  std::unique_ptr<driver::Device> device;
  std::optional<Diagnostic> refused;
  {
    const runtime::RtlOptions options = telling.options();
    const py::gil_scoped_release released;
    auto opened = driver::RtlDevice::open(machine, memory_bytes, memory,
                                          {.cache = runtime::cache_of(options),
                                           .quick = options.quick,
                                           .jobs = runtime::jobs_of(options),
                                           .progress = options.progress,
                                           .checked = options.checked,
                                           .outstanding = kManyBursts});
    if (opened) {
      device = std::move(*opened);
    } else {
      refused = opened.error();
    }
  }
  telling.rethrow();
  if (refused) throw DiagnosticException(*refused);
  return std::make_unique<DrivenDevice>(machine, std::move(device));
}

void load(DrivenDevice& device, const acg::Program& program, const py::dict& inputs) {
  const std::vector<runtime::Tensor> tensors = to_tensors(inputs);
  const py::gil_scoped_release released;
  need(device.driver().load(program, value_or_throw(runtime::image_of(program, tensors))));
}

py::dict outputs(DrivenDevice& device, const acg::Program& program) {
  std::vector<uint8_t> image(program.memory_bytes);
  need(device.driver().read_back(program, image));
  return to_arrays(runtime::outputs_of(program, image));
}

py::dict report_to_python(const driver::RunReport& report) {
  return py::dict("cycles"_a = report.cycles, "blocks"_a = report.blocks, "bytes_read"_a = report.bytes_read,
                  "bytes_written"_a = report.bytes_written, "stalled"_a = report.stalled);
}

/// Calls `wait` in slices for at most `timeout` nanoseconds until it returns true; between them Ctrl-C ends it.
template <typename Wait>
void wait_in_slices(uint64_t timeout, const Wait& wait) {
  const Callback interruptible(py::none{});
  {
    const py::gil_scoped_release released;
    nanoseconds left(static_cast<int64_t>(std::min<uint64_t>(timeout, INT64_MAX)));
    for (bool is_over = false; !is_over;) {
      const nanoseconds slice = std::min(left, kSlice);
      left -= slice;
      is_over = wait(slice) || left.count() == 0 || !interruptible();
    }
  }
  interruptible.rethrow();
}

py::dict wait(DrivenDevice& device, uint64_t timeout) {
  Result<driver::RunReport> report = driver::RunReport{};
  const auto is_late = [&] { return !report && report.error().code == "DRV0009"; };
  wait_in_slices(timeout, [&](nanoseconds slice) {
    report = device.driver().wait(slice);
    return !is_late();
  });
  if (is_late()) report = driver::too_long(nanoseconds(timeout));
  return report_to_python(value_or_throw(std::move(report)));
}

bool wait_interrupt(DrivenDevice& device, uint64_t timeout) {
  wait_in_slices(timeout, [&](nanoseconds slice) { return device.device().wait_interrupt(slice); });
  return device.device().interrupt();
}

py::dict status(DrivenDevice& device) {
  const driver::DeviceStatus status = value_or_throw(device.driver().status());
  return py::dict("is_busy"_a = status.is_busy, "is_done"_a = status.is_done,
                  "stop"_a = static_cast<uint32_t>(status.stop), "refusal"_a = static_cast<uint32_t>(status.refusal));
}

uint32_t read32(DrivenDevice& device, uint32_t address) {
  const driver::ReadResult result = device.device().read32(address);
  if (result.response == driver::Response::kOkay) return result.value;
  throw DiagnosticException(driver::refused_access("read32", address, result.response, false));
}

void write32(DrivenDevice& device, uint32_t address, uint32_t value) {
  const driver::Response response = device.device().write32(address, value);
  if (response == driver::Response::kOkay) return;
  throw DiagnosticException(driver::refused_access("write32", address, response, true));
}

py::bytes read_memory(DrivenDevice& device, uint32_t memory, uint64_t address, uint64_t length) {
  std::string bytes(length, '\0');
  const std::span<uint8_t> into(reinterpret_cast<uint8_t*>(bytes.data()), bytes.size());
  if (device.device().read(memory, address, into) == driver::Response::kOkay) return bytes;
  throw DiagnosticException(driver::no_bytes(address, length));
}

void write_memory(DrivenDevice& device, uint32_t memory, uint64_t address, const py::buffer& given) {
  const py::buffer_info info = given.request();
  const std::span<const uint8_t> bytes(static_cast<const uint8_t*>(info.ptr), info.size * info.itemsize);
  if (device.device().write(memory, address, bytes) == driver::Response::kOkay) return;
  throw DiagnosticException(driver::no_bytes(address, bytes.size()));
}

}  // namespace

void bind_device(py::module_& core) {
  core.def("open_systemc_device", &open_systemc, "machine"_a, "memory_bytes"_a, "memory"_a);
  core.def("open_rtl_device", &open_rtl, "machine"_a, "memory_bytes"_a, "memory"_a, "build"_a);
  py::class_<DrivenDevice>(core, "Device")
      .def("load", &load, "program"_a, "inputs"_a)
      .def("start", [](DrivenDevice& device, const acg::Program& program) { need(device.driver().start(program)); })
      .def("start_at", [](DrivenDevice& device, uint64_t entry) { need(device.driver().start(entry)); })
      .def("wait", &wait, "timeout"_a)
      .def("outputs", &outputs, "program"_a)
      .def("abort", [](DrivenDevice& device) { need(device.driver().abort()); })
      .def("clear", [](DrivenDevice& device) { need(device.driver().clear()); })
      .def("status", &status)
      .def("counters",
           [](DrivenDevice& device) { return report_to_python(value_or_throw(device.driver().counters())); })
      .def("interrupt", [](DrivenDevice& device) { return device.device().interrupt(); })
      .def("wait_interrupt", &wait_interrupt, "timeout"_a)
      .def("read32", &read32, "address"_a)
      .def("write32", &write32, "address"_a, "value"_a)
      .def("read_memory", &read_memory, "memory"_a, "address"_a, "length"_a)
      .def("write_memory", &write_memory, "memory"_a, "address"_a, "bytes"_a);
}

}  // namespace covenant::python
