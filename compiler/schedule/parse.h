/// Parses the text form of schedules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "compiler/schedule/schedule.h"

namespace covenant::compiler {

/// The schedules in `text`, in its order; `file` names it in diagnostics. Whether they suit a model is checked later.
///
///     schedules = { "layer" NAME "{" "lowering" NAME ";" { tile } [ order ] [ split ] "}" }
///     split       = "split" LOOP "at" NUMBER [ "on" NODE { "," NODE } ] "{" { tile } [ order ] "}"
///     tile      = "tile" LOOP NUMBER [ "of" NUMBER ] ";"
///     order     = "order" LOOP { "," LOOP } ";"
///
/// NAME is quoted, LOOP and NODE are words; `#` starts a comment that ends with its line. Errors: SCH0001 (the text
/// does not follow the grammar), SCH0002 (a number outside of 1 to 2^31 - 1).
Result<std::vector<LayerSchedule>> parse_schedules(std::string_view text, const std::string& file);

}  // namespace covenant::compiler
