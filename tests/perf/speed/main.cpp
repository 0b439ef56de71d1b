// Simulated cycles per second of both models of a machine on one program, values and cycles on, in one process.
//
//   speed MACHINE CACHE LAYER M K N [REPEATS]
//
// compiles a gemm of the benchmark table, cut to M x K x N, and prints one JSON object. The Verilated model runs
// REPEATS times (default 3), the SystemC model, whose runs are short, five times before each; medians count, so that
// neither gains by a neighbour of the processor that comes or goes. Bytes and cycles must agree. Exit code: 0, 1 if
// they do not, 2 if something cannot be built.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "acg/lang/load.h"
#include "compiler/benchmarks/compile_layer.h"
#include "rtl/cosim/model.h"
#include "sim/run/simulate.h"
#include "tests/support/pipeline/noise_image.h"

namespace {

using namespace covenant;

/// Processor time: what else the computer does must not count. Both models run in one thread.
template <class F>
double seconds_of(F&& body) {
  const std::clock_t begin = std::clock();
  body();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

int refused(const Diagnostic& diagnostic) {
  fmt::print(stderr, "{}\n", render(diagnostic));
  return 2;
}

struct Measured {
  uint64_t systemc_cycles = 0;
  uint64_t rtl_cycles = 0;
  double systemc_seconds = 0;
  double rtl_seconds = 0;
  bool is_same = false;  ///< bytes and cycles
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Result<Measured> measure(const rtl::Model& model, const acg::Program& program, size_t repeats) {
  constexpr size_t kShortRuns = 5;
  const std::vector<uint8_t> image = test::noise_image(program, 1);
  Measured measured{.is_same = true};
  std::vector<double> systemc_seconds;
  std::vector<double> rtl_seconds;
  for (size_t k = 0; k < repeats; ++k) {
    std::vector<uint8_t> expected;
    for (size_t run = 0; run < kShortRuns; ++run) {
      expected = image;
      Result<sim::SimulateResult> result = Diagnostic{};
      systemc_seconds.push_back(seconds_of([&] { result = sim::simulate(program, expected); }));
      if (!result) return result.error();
      measured.systemc_cycles = result->cycles;
    }
    std::vector<uint8_t> memory = image;
    Result<rtl::RunResult> result = Diagnostic{};
    rtl_seconds.push_back(seconds_of([&] { result = model.run(program, memory); }));
    if (!result) return result.error();
    measured.rtl_cycles = result->cycles;
    measured.is_same = measured.is_same && memory == expected && measured.rtl_cycles == measured.systemc_cycles;
  }
  measured.systemc_seconds = median(systemc_seconds);
  measured.rtl_seconds = median(rtl_seconds);
  return measured;
}

uint64_t number(const char* text) { return std::strtoull(text, nullptr, 10); }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) {
    fmt::print(stderr, "usage: speed MACHINE CACHE LAYER M K N [REPEATS]\n");
    return 2;
  }
  const auto machine = acg::load_machine(argv[1]);
  if (!machine) return refused(machine.error());
  compiler::Crop crop;
  crop.m = number(argv[4]);
  crop.k = number(argv[5]);
  crop.n = number(argv[6]);
  const auto program = compiler::compile_layer(argv[3], *machine, crop);
  if (!program) return refused(program.error());
  const auto model = rtl::build_model(*machine, {.cache = argv[2]});
  if (!model) return refused(model.error());
  const size_t repeats = std::max<size_t>(1, argc > 7 ? number(argv[7]) : 3);
  const auto measured = measure(*model, *program, repeats);
  if (!measured) return refused(measured.error());
  const auto rate = [](uint64_t cycles, double seconds) { return static_cast<double>(cycles) / seconds; };
  const double systemc = rate(measured->systemc_cycles, measured->systemc_seconds);
  const double rtl = rate(measured->rtl_cycles, measured->rtl_seconds);
  fmt::print("{{\"machine\": \"{}\", \"layer\": \"{}\", \"m\": {}, \"k\": {}, \"n\": {}, \"cycles\": {}, ", argv[1],
             argv[3], crop.m, crop.k, crop.n, measured->systemc_cycles);
  fmt::print("\"systemc_seconds\": {:.6f}, \"rtl_seconds\": {:.3f}, \"systemc_cycles_per_second\": {:.0f}, ",
             measured->systemc_seconds, measured->rtl_seconds, systemc);
  fmt::print("\"rtl_cycles_per_second\": {:.0f}, \"ratio\": {:.1f}, \"rtl_build_seconds\": {:.1f}, \"same\": {}}}\n",
             rtl, systemc / rtl, model->build_seconds(), measured->is_same);
  return measured->is_same ? 0 : 1;
}
