#include "rtl/gen/generate.h"

#include "rtl/gen/emit.h"
#include "rtl/gen/source_texts.h"

namespace covenant::rtl {

Result<std::map<std::string, std::string>> generate(const acg::Machine& machine) {
  const Result<Plan> result = plan(machine);
  if (!result) return result.error();
  std::map<std::string, std::string> files;
  for (const SourceText& source : source_texts()) files[std::string(source.name)] = source.text;
  files["covenant_pkg.sv"] = emit_package(*result);
  files["covenant_top.sv"] = emit_top(*result);
  files["covenant_observer.h"] = emit_observer(*result);
  files.merge(emit_directory(*result, files));
  return files;
}

}  // namespace covenant::rtl
