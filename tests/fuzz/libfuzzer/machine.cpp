// A target of libFuzzer: whatever the bytes, the readers of machines give a machine or a diagnostic, and a machine
// survives its own text and JSON. Inputs that start with { or [ are JSON, all others are text.
#include <cstdint>
#include <string>

#include "acg/base/failure.h"
#include "acg/lang/json.h"
#include "acg/lang/load.h"
#include "acg/lang/parser.h"
#include "acg/lang/print.h"
#include "tests/fuzz/libfuzzer/target.h"

namespace covenant::acg {
namespace {

using fuzzing::give_up;

void expect_complete(const Diagnostic& said) { fuzzing::expect_complete(said, {"ACG", "BEH"}); }

void expect_lossless(const Machine& machine) {
  const std::string text = print(machine);
  const Result<Machine> printed = parse_machine(text, "printed.acg", {}, {}, lang::no_includes);
  if (!printed) give_up(render(printed.error()) + "\n" + text);
  if (!(*printed == machine)) give_up("text loses something:\n" + text);
  const Result<Machine> json = from_json(to_json(machine));
  if (!json) give_up(render(json.error()) + "\n" + to_json(machine));
  if (!(*json == machine)) give_up("JSON loses something:\n" + to_json(machine));
}

/// The text form of the document itself, comments and all, is stable.
void expect_printable(const std::string& text) {
  const Result<lang::MachineSpec> spec = guarded<lang::MachineSpec>([&] { return lang::parse_spec(text, "fuzz.acg"); });
  if (!spec) return expect_complete(spec.error());
  const std::string once = print(*spec);
  const Result<lang::MachineSpec> again =
      guarded<lang::MachineSpec>([&] { return lang::parse_spec(once, "once.acg"); });
  if (!again) give_up(render(again.error()) + "\n" + once);
  if (print(*again) != once) give_up("printing a document twice changes it:\n" + once);
}

void run(const std::string& text) {
  const bool is_json = !text.empty() && (text[0] == '{' || text[0] == '[');
  if (!is_json) expect_printable(text);
  const Result<Machine> machine =
      is_json ? from_json(text, "fuzz.json") : parse_machine(text, "fuzz.acg", {}, {}, lang::no_includes);
  if (!machine) return expect_complete(machine.error());
  expect_lossless(*machine);
}

}  // namespace
}  // namespace covenant::acg

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  covenant::fuzzing::within_limit([&] { covenant::acg::run(std::string(reinterpret_cast<const char*>(data), size)); });
  return 0;
}
