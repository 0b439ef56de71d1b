// A target of libFuzzer: whatever the bytes, the front end gives a normalised graph or a diagnostic; a graph is well
// formed, and the same after it was printed.
#include "compiler/frontends/onnx/onnx.h"

#include <cstdint>
#include <onnx/onnx_pb.h>
#include <string>
#include <string_view>

#include "compiler/frontends/onnx/normalize.h"
#include "compiler/operators/verify.h"
#include "compiler/srdfg/parse.h"
#include "compiler/srdfg/print.h"
#include "tests/fuzz/libfuzzer/message_mutator.h"
#include "tests/fuzz/libfuzzer/target.h"

namespace covenant::compiler {
namespace {

void run(std::string_view bytes) {
  const Result<srdfg::Graph> model = frontend::read_onnx_bytes(bytes);
  if (!model) return fuzzing::expect_complete(model.error(), {"ONX"});
  const Result<srdfg::Graph> graph = frontend::normalize(*model);
  if (!graph) return fuzzing::expect_complete(graph.error(), {"ONX"});
  if (const Status verified = operators::verify_normalized(*graph); !verified)
    fuzzing::give_up(render(verified.error()));
  const std::string printed = srdfg::print(*graph);
  const Result<srdfg::Graph> again = srdfg::parse(printed);
  if (!again) fuzzing::give_up(render(again.error()) + "\n" + printed);
  if (srdfg::print(*again) != printed) fuzzing::give_up("printing changes a graph:\n" + printed);
}

}  // namespace
}  // namespace covenant::compiler

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  covenant::fuzzing::within_limit([&] { covenant::compiler::run({reinterpret_cast<const char*>(data), size}); });
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  onnx::ModelProto model;
  return covenant::fuzzing::mutate_message(model, data, size, most, seed);
}
