#include <algorithm>
#include <fmt/format.h>

#include "rtl/gen/axi/axi_masters.h"
#include "rtl/gen/emit.h"
#include "rtl/gen/source_texts.h"

namespace covenant::rtl {
namespace {

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// True for observers, which serve simulation only and are not part of the machine.
bool is_observer(const std::string& name) { return name.starts_with("covenant_observe"); }

/// Sources of the machine, or those that make a device of it, in order of compilation: packages first.
std::vector<std::string> ordered(const std::map<std::string, std::string>& sources, bool of_device) {
  std::vector<std::string> packages;
  std::vector<std::string> modules;
  for (const auto& [name, text] : sources) {
    if (is_of_device(name) != of_device) continue;
    if (ends_with(name, "_pkg.sv")) {
      packages.push_back(name);
    } else if (ends_with(name, ".sv") && !is_observer(name)) {
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
DEVICE := $(shell grep '\.sv$$' covenant_axi.f)
MODULES := $(patsubst %.sv,%,$(filter-out %_pkg.sv covenant_top.sv covenant_axi_top.sv,$(SOURCES) $(DEVICE)))

.PHONY: lint lint-modules synth test clean
lint:
	$(VERILATOR) --lint-only -Wall --top-module covenant_top -f covenant.f
	$(VERILATOR) --lint-only -Wall --top-module covenant_axi_top -f covenant_axi.f
lint-modules: $(MODULES:%=lint-%)
lint-%:
	$(VERILATOR) --lint-only -Wall --top-module $* -f covenant_axi.f
synth:
	$(YOSYS) -q -p "read_verilog -sv -DSYNTHESIS $(SOURCES); hierarchy -check -top covenant_top; proc; check -assert; select -assert-none t:\$$dlatch; tee -o synth.txt stat"
clean:
	rm -rf obj_test obj_test_wave synth.txt
)";

/// The Makefile where there is no device: what speaks of it is left out.
std::string makefile_without_device() {
  std::string text;
  for (std::string_view rest = kMakefile; !rest.empty();) {
    const std::string line(rest.substr(0, rest.find('\n') + 1));
    rest.remove_prefix(line.size());
    if (line.starts_with("DEVICE") || line.find("covenant_axi_top -f") != std::string::npos) continue;
    const size_t list = line.find("covenant_axi.f");
    text += list == std::string::npos ? line : line.substr(0, list) + "covenant.f\n";
  }
  return text;
}

constexpr std::string_view kTestTargets = R"make(
# make test         runs one program on the Verilated top: bytes and cycles as in test/, assertions on
# make WAVE=1 test  the same, and writes test/wave.fst
JOBS ?= $(shell nproc)
FLAGS := --cc --exe -O3 --assert --x-assign fast --x-initial fast --top-module covenant_top --prefix Vcovenant_top \
         -CFLAGS "-std=c++20 -I.. $(if $(WAVE),-DCOVENANT_WAVE)" $(if $(WAVE),--trace-fst)
BENCH := obj_test$(if $(WAVE),_wave)

test: $(BENCH)/self_test
	./$(BENCH)/self_test test $(if $(WAVE),--wave test/wave.fst)
$(BENCH)/self_test: covenant.f covenant_ports.h self_test.cpp offchip.h $(SOURCES)
	$(VERILATOR) $(FLAGS) --Mdir $(BENCH) -o self_test -f covenant.f self_test.cpp
	$(MAKE) -C $(BENCH) -f Vcovenant_top.mk -j$(JOBS) OPT_FAST=-O2 OPT_SLOW=-O0 OPT_GLOBAL=-O1
)make";

/// How to use the device of the machine, or why there is none.
std::string device_note(const Plan& plan) {
  const std::optional<Diagnostic> reason = no_axi(plan);
  if (!reason) {
    return "`covenant_axi_top.sv` makes it a device with registers on AXI4-Lite; `covenant_axi.f` lists the sources of "
           "that\n"
           "too.";
  }
  return fmt::format("It is no device ({}): {}; {} has {}.", reason->code, reason->message, reason->subject,
                     reason->offending);
}

std::string readme(const Plan& plan, const SelfTest* test) {
  std::string text = fmt::format(
      R"(# RTL of the machine `{}`

Written by covenant from its architecture graph. `covenant_top.sv` instantiates the engines and memories,
`covenant_pkg.sv` decodes its words; the other modules are the same for every machine. `covenant.f` lists the sources in
order of compilation. `covenant_observer.sv` is bound to the top by a simulator that reads it too, and shows what retire
records are made of.

{}

    make lint           # Verilator's linter on the whole machine, all warnings on
    make lint-modules   # the same on every module alone
    make synth          # with yosys: no latches, no undriven nets
)",
      plan.machine->name, device_note(plan));
  if (test == nullptr) return text;
  return text + fmt::format(R"(    make test           # runs a program and compares what it leaves behind
    make WAVE=1 test    # the same, and writes waveforms to test/wave.fst

Needed: Verilator 5.006 or later, make, a C++20 compiler; yosys for `make synth`.

The program of `make test` is `{}`: {} bytes of off-chip memory, {} cycles. `test/before.hex` is the memory when it
starts, `test/after.hex` when it has ended, `test/run.txt` says where it begins and how long it takes. `self_test.cpp`
runs it on the Verilated top, with the assertions of all modules on, and compares every byte and the cycles.
)",
                            test->name, test->before.size(), test->cycles);
}

}  // namespace

bool is_of_device(const std::string& name) {
  if (name == "covenant_axi_top.sv" || name == "covenant_axi_ports.h") return true;
  const std::span<const SourceText> sources = source_texts();
  const auto found = std::ranges::find(sources, name, &SourceText::name);
  return found != sources.end() && found->folder == "device";
}

std::map<std::string, std::string> emit_directory(const Plan& plan, const std::map<std::string, std::string>& sources,
                                                  const SelfTest* test) {
  std::map<std::string, std::string> files;
  // Write ports are loops over all bytes of a beat or vector, which Verilator must unroll whatever their number.
  std::string list = "--unroll-stmts 1000000\nwaivers.vlt\n";
  for (const std::string& name : ordered(sources, false)) list += name + "\n";
  files["covenant.f"] = list;
  const bool is_device = sources.contains("covenant_axi_top.sv");
  if (is_device) {
    std::string device = "-f covenant.f\n";
    for (const std::string& name : ordered(sources, true)) device += name + "\n";
    files["covenant_axi.f"] = device;
  }
  files["Makefile"] = (is_device ? std::string(kMakefile) : makefile_without_device()) +
                      std::string(test != nullptr ? kTestTargets : "");
  files["README.md"] = readme(plan, test);
  return files;
}

}  // namespace covenant::rtl
