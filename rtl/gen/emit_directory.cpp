#include <fmt/format.h>

#include "rtl/gen/emit.h"

namespace covenant::rtl {
namespace {

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Sources in order of compilation: packages first.
std::vector<std::string> ordered(const std::map<std::string, std::string>& sources) {
  std::vector<std::string> packages;
  std::vector<std::string> modules;
  for (const auto& [name, text] : sources) {
    if (ends_with(name, "_pkg.sv")) {
      packages.push_back(name);
    } else if (ends_with(name, ".sv")) {
      modules.push_back(name);
    }
  }
  packages.insert(packages.end(), modules.begin(), modules.end());
  return packages;
}

constexpr std::string_view kMakefile = R"(# make lint         Verilator's linter on the whole machine, all warnings on
# make lint-modules the same on every module alone
# make synth        yosys: no latches, no undriven nets; statistics
VERILATOR ?= verilator
YOSYS ?= yosys
SOURCES := $(shell grep '\.sv$$' covenant.f)
MODULES := $(patsubst %.sv,%,$(filter-out %_pkg.sv covenant_top.sv,$(SOURCES)))

.PHONY: lint lint-modules synth
lint:
	$(VERILATOR) --lint-only -Wall --top-module covenant_top -f covenant.f
lint-modules: $(MODULES:%=lint-%)
lint-%:
	$(VERILATOR) --lint-only -Wall --top-module $* -f covenant.f
synth:
	$(YOSYS) -q -p "read_verilog -sv -DSYNTHESIS $(SOURCES); hierarchy -check -top covenant_top; proc; check -assert; select -assert-none t:\$$dlatch; tee -o synth.txt stat"
)";

}  // namespace

std::map<std::string, std::string> emit_directory(const Plan& plan, const std::map<std::string, std::string>& sources) {
  std::map<std::string, std::string> files;
  // Write ports are loops over all bytes of a beat or vector, which Verilator must unroll whatever their number.
  std::string list = "--unroll-stmts 1000000\nwaivers.vlt\n";
  for (const std::string& name : ordered(sources)) list += name + "\n";
  files["covenant.f"] = list;
  files["Makefile"] = kMakefile;
  files["README.md"] = fmt::format(
      "# RTL of the machine `{}`\n\nWritten by covenant from its architecture graph. `covenant_top.sv` instantiates "
      "the "
      "engines and memories,\n`covenant_pkg.sv` decodes its words; the other modules are the same for every "
      "machine.\n\n"
      "    make lint           # the whole machine\n    make lint-modules   # every module alone\n"
      "    make synth          # with yosys\n",
      plan.machine->name);
  return files;
}

}  // namespace covenant::rtl
