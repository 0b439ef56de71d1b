#include "runtime/device.h"

#include <array>

namespace covenant::runtime {
namespace {

struct Backend {
  std::string_view name;
  Result<std::unique_ptr<Device>> (*make)(const acg::Program&);
};
constexpr std::array<Backend, 2> kBackends{{{"interpret", &make_interpreter}, {"systemc", &make_systemc}}};

}  // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Backend& backend : kBackends) names.emplace_back(backend.name);
  return names;
}

Result<std::unique_ptr<Device>> make_device(std::string_view backend, const acg::Program& program) {
  for (const Backend& entry : kBackends) {
    if (entry.name == backend) return entry.make(program);
  }
  return Diagnostic{
      "RUN0005", {}, "", "there is no such backend", std::string(backend), backend_names(), "choose one of these"};
}

}  // namespace covenant::runtime
