// Compiles a model for a machine, runs it on an image of zeros, and prints its cycles; within a SystemC program that
// has modules of its own.
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "platform/memory.h"
#include "runtime/session/run.h"

namespace {

template <typename T>
T need(covenant::Result<T> result) {
  if (result) return std::move(*result);
  std::fputs(covenant::render(result.error()).c_str(), stderr);
  std::exit(1);
}

}  // namespace

int sc_main(int /*count*/, char* arguments[]) {
  const covenant::sc::Memory before("memory", covenant::sc::Storage(64), sc_core::sc_time(1, sc_core::SC_NS));
  const auto machine = need(covenant::acg::load_machine("genesys:8x8"));
  const auto program = need<covenant::acg::Program>(covenant::compiler::compile(arguments[1], machine));
  covenant::runtime::Tensor image;
  image.name = "image";
  image.dtype = covenant::DType::kF32;
  image.shape = {1, 1, 8, 8};
  image.bytes.resize(8 * 8 * sizeof(float));
  const auto result = need(covenant::runtime::run(program, {image}));
  std::printf("%llu cycles\n", static_cast<unsigned long long>(result.cost.cycles));
  return before.bytes().size() == 64 ? 0 : 1;
}
