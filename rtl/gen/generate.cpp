#include "rtl/gen/generate.h"

#include "rtl/gen/axi/axi_masters.h"
#include "rtl/gen/axi/emit_axi.h"
#include "rtl/gen/emit.h"
#include "rtl/gen/make_plan.h"
#include "rtl/gen/source_texts.h"
#include "rtl/gen/supported.h"

namespace covenant::rtl {

namespace {

using Files = std::map<std::string, std::string>;

Result<Files> generate(const acg::Machine& machine, const SelfTest* test, std::optional<AxiMasters> axi) {
  if (const Status supported = check_supported(machine); !supported) return supported.error();
  const Result<Plan> result = make_plan(machine);
  if (!result) return result.error();
  const std::optional<Diagnostic> without_device = no_axi(*result);
  if (axi && without_device) return *without_device;
  Files files;
  for (const SourceText& source : source_texts()) files[std::string(source.name)] = source.text;
  if (without_device) std::erase_if(files, [](const auto& file) { return is_of_device(file.first); });
  files["covenant_pkg.sv"] = emit_package(*result);
  files["covenant_top.sv"] = emit_top(*result);
  if (!without_device) {
    const std::vector<AxiMaster> made = axi_masters(*result, axi.value_or(AxiMasters::kPort));
    files["covenant_axi_top.sv"] = emit_axi_top(*result, made, emit_memory_ports(*result));
    files["covenant_axi_ports.h"] = emit_axi_port_access(made);
  }
  files["covenant_observer.sv"] = emit_observer(*result);
  files["covenant_observer.h"] = emit_observer_access(*result);
  files["covenant_ports.h"] = emit_port_access(*result);
  files.merge(emit_directory(*result, files, test));
  if (test != nullptr) files.merge(self_test_files(*test));
  return files;
}

}  // namespace

Result<Files> generate(const acg::Machine& machine, std::optional<AxiMasters> axi) {
  return generate(machine, nullptr, axi);
}

Result<Files> generate(const acg::Machine& machine, const SelfTest& test, std::optional<AxiMasters> axi) {
  return generate(machine, &test, axi);
}

}  // namespace covenant::rtl
