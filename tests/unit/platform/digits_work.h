/// The digits network on a machine, as work for accelerators of a platform, and threads that give it to them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "acg/lang/load.h"
#include "acg/program/program.h"
#include "compiler/driver/pipeline.h"
#include "runtime/session/image.h"
#include "sim/run/simulate.h"
#include "tests/support/folders.h"

namespace covenant::sc::testing {

template <typename T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(render(result.error()));
  return std::move(*result);
}

/// The digits network on a machine of its own, on noise, and what the simulator alone makes of it.
struct Work {
  acg::Program program;
  std::vector<uint8_t> before;
  std::vector<uint8_t> after;
};

inline Work work_of(const char* machine, uint64_t seed) {
  Work work{need<acg::Program>(compiler::compile(source_folder() + "/examples/01_digits/digits_qdq.onnx",
                                                 need(acg::load_machine(machine)))),
            {},
            {}};
  work.before = runtime::initial_image(work.program);
  std::mt19937_64 random(seed);
  for (const acg::TensorBinding& input : work.program.inputs) {
    const auto first = work.before.begin() + static_cast<std::ptrdiff_t>(input.address);
    std::generate_n(first, acg::size_in_memory(input).value(), [&] { return static_cast<uint8_t>(random()); });
  }
  work.after = work.before;
  need(sim::simulate(work.program, work.after));
  return work;
}

class Thread : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Thread);
  Thread(const sc_core::sc_module_name& name, std::function<void()> does) : sc_module(name), does_(std::move(does)) {
    SC_THREAD(run);
  }

 private:
  void run() {
    does_();
    sc_core::sc_stop();
  }
  std::function<void()> does_;
};

}  // namespace covenant::sc::testing
