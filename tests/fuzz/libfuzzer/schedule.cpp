// A target of libFuzzer: whatever the text, the reader of schedules gives them or a diagnostic; schedules are the same
// after they were printed.
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/schedule/parse.h"
#include "compiler/schedule/print.h"
#include "tests/fuzz/libfuzzer/target.h"

namespace covenant::compiler {
namespace {

void run(const std::string& text) {
  const Result<std::vector<LayerSchedule>> schedules = parse_schedules(text, "fuzz.schedule");
  if (!schedules) return fuzzing::expect_complete(schedules.error(), {"SCH"});
  const std::string printed = print_schedules("printed", *schedules);
  const Result<std::vector<LayerSchedule>> again = parse_schedules(printed, "printed.schedule");
  if (!again) fuzzing::give_up(render(again.error()) + "\n" + printed);
  if (print_schedules("printed", *again) != printed) fuzzing::give_up("printing changes schedules:\n" + printed);
}

}  // namespace
}  // namespace covenant::compiler

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  covenant::fuzzing::within_limit(
      [&] { covenant::compiler::run(std::string(reinterpret_cast<const char*>(data), size)); });
  return 0;
}
