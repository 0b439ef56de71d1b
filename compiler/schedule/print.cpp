#include "compiler/schedule/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace covenant::compiler {
namespace {

/// A quoted text: quotes, backslashes and control characters as `\xNN`.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    const bool is_plain = byte >= 0x20 && byte != 0x7f && character != '"' && character != '\\';
    result += is_plain ? std::string(1, character) : fmt::format("\\x{:02x}", byte);
  }
  return result + '"';
}

std::string comment(std::string_view text) {
  std::string line;
  for (const char character : text) line += character == '\n' || character == '\r' ? ' ' : character;
  return line.empty() ? "" : "# " + line;
}

std::string print(const std::vector<LoopTile>& tiles, const std::vector<std::string>& order,
                  const std::string& indent) {
  std::string text;
  for (const LoopTile& tile : tiles) {
    text += fmt::format("{}tile {} {}", indent, tile.loop, tile.size);
    if (tile.trips > 0) text += fmt::format(" of {}", tile.trips);
    text += ";\n";
  }
  if (!order.empty()) text += fmt::format("{}order {};\n", indent, fmt::join(order, ", "));
  return text;
}

std::string print(const LayerSchedule& schedule) {
  std::string text = fmt::format("layer {} {{", quoted(schedule.layer));
  if (!schedule.note.empty()) text += "  " + comment(schedule.note);
  text += fmt::format("\n  lowering {};\n", quoted(schedule.lowering));
  text += print(schedule.tiles, schedule.order, "  ");
  if (schedule.split) {
    const SplitSchedule& split = *schedule.split;
    const std::string on = split.nodes.empty() ? "" : fmt::format("on {} ", fmt::join(split.nodes, ", "));
    text += fmt::format("  split {} at {} {}{{\n{}  }}\n", split.loop, split.at, on,
                        print(split.tiles, split.order, "    "));
  }
  return text + "}\n";
}

}  // namespace

std::string print_schedules(std::string_view title, const std::vector<LayerSchedule>& schedules) {
  std::string text = title.empty() ? "" : comment(title) + "\n";
  for (const LayerSchedule& schedule : schedules) text += (text.empty() ? "" : "\n") + print(schedule);
  return text;
}

}  // namespace covenant::compiler
