#include "rtl/gen/generate.h"

#include "rtl/gen/emit.h"
#include "rtl/gen/source_texts.h"
#include "rtl/gen/supported.h"

namespace covenant::rtl {

namespace {

using Files = std::map<std::string, std::string>;

Result<Files> generate(const acg::Machine& machine, const SelfTest* test) {
  if (const Status supported = check_supported(machine); !supported) return supported.error();
  const Result<Plan> result = plan(machine);
  if (!result) return result.error();
  Files files;
  for (const SourceText& source : source_texts()) files[std::string(source.name)] = source.text;
  files["covenant_pkg.sv"] = emit_package(*result);
  files["covenant_top.sv"] = emit_top(*result);
  files["covenant_axi_top.sv"] = emit_axi_top(*result);
  files["covenant_observer.sv"] = emit_observer(*result);
  files["covenant_observer.h"] = emit_observer_access(*result);
  files["covenant_ports.h"] = emit_port_access(*result);
  files["covenant_axi_ports.h"] = emit_axi_port_access(*result);
  files.merge(emit_directory(*result, files, test));
  if (test != nullptr) files.merge(self_test_files(*test));
  return files;
}

}  // namespace

Result<Files> generate(const acg::Machine& machine) { return generate(machine, nullptr); }

Result<Files> generate(const acg::Machine& machine, const SelfTest& test) { return generate(machine, &test); }

}  // namespace covenant::rtl
