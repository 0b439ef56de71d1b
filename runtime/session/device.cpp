#include "runtime/session/device.h"

#include <array>

namespace covenant::runtime {
namespace {

struct Backend {
  std::string_view name;
  Result<std::unique_ptr<Device>> (*make)(const acg::Program&, const RtlOptions&);
};
constexpr std::array<Backend, 3> kBackends{
    {{"interpret", [](const acg::Program& program, const RtlOptions&) { return make_interpreter(program); }},
     {"rtl", &make_rtl},
     {"systemc", [](const acg::Program& program, const RtlOptions&) { return make_systemc(program); }}}};

}  // namespace

Result<DeviceResult> Device::time(const std::vector<uint8_t>& memory, const DeviceOptions& options) const {
  std::vector<uint8_t> copy = memory;
  return run(copy, options);
}

Result<TogetherResult> Device::run_together(std::vector<std::vector<uint8_t>>& /*memories*/,
                                            const DeviceOptions& /*options*/) const {
  return Diagnostic{"RUN0009",
                    {},
                    "",
                    "this backend has no hardware contexts",
                    "several runs at once",
                    {"systemc"},
                    "use the backend systemc, or run one after the other"};
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Backend& backend : kBackends) names.emplace_back(backend.name);
  return names;
}

Result<std::unique_ptr<Device>> make_device(std::string_view backend, const acg::Program& program,
                                            const RtlOptions& rtl) {
  for (const Backend& entry : kBackends) {
    if (entry.name == backend) return entry.make(program, rtl);
  }
  return Diagnostic{
      "RUN0005", {}, "", "there is no such backend", std::string(backend), backend_names(), "choose one of these"};
}

}  // namespace covenant::runtime
