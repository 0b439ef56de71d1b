// A target of libFuzzer: whatever the text, the reader of networks gives one or a diagnostic; a network is the same
// after it was printed.
#include <cstdint>
#include <string>

#include "acg/lang/load.h"
#include "compiler/binding/read_network.h"
#include "compiler/network/print.h"
#include "tests/fuzz/libfuzzer/target.h"

namespace covenant::compiler {
namespace {

void run(const std::string& text, const acg::Machine& machine) {
  const Result<Network> network = read_network(text, "fuzz.network", machine);
  if (!network) return fuzzing::expect_complete(network.error(), {"NET", "CDL"});
  const std::string printed = print(*network);
  const Result<Network> again = read_network(printed, "printed.network", machine);
  if (!again) fuzzing::give_up(render(again.error()) + "\n" + printed);
  if (print(*again) != printed) fuzzing::give_up("printing changes a network:\n" + printed);
}

}  // namespace
}  // namespace covenant::compiler

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const covenant::acg::Machine machine = *covenant::acg::load_machine("genesys:8x8");
  covenant::fuzzing::within_limit(
      [&] { covenant::compiler::run(std::string(reinterpret_cast<const char*>(data), size), machine); });
  return 0;
}
