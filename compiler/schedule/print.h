/// Prints the text form of schedules, which `parse_schedules` reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace covenant::compiler {

/// `title` is the first line, a comment. Parsing the text gives the schedules again, except notes and locations.
///
///     # digits_qdq.onnx on genesys
///     layer "conv1" {  # 1,234 cycles predicted, most work: SA
///       lowering "plain";
///       tile oh 7 of 28;
///       tile ow 28 of 28;
///       order oh, ow;
///     }
std::string print_schedules(std::string_view title, const std::vector<LayerSchedule>& schedules);

}  // namespace covenant::compiler
