#include "rtl/gen/common/observer_part.h"

#include <fmt/format.h>

namespace covenant::rtl {
namespace {

std::string range(uint64_t bits) { return bits == 1 ? "" : fmt::format("[{}:0] ", bits - 1); }

}  // namespace

std::string ObserverPart::input(uint64_t bits, const std::string& name, const std::string& net) {
  return declare(bits, name, net, "");
}

void ObserverPart::shown(uint64_t bits, const std::string& name, const std::string& net) {
  declare(bits, name, net, " /*verilator public_flat_rd*/");
}

std::string ObserverPart::made(uint64_t bits, const std::string& name) {
  body += fmt::format("  logic {}{}{} /*verilator public_flat_rd*/;\n", range(bits), prefix_, name);
  return prefix_ + name;
}

void ObserverPart::add_tags(const std::string& signal, uint64_t cycles, uint64_t columns, const std::string& valid,
                            const std::string& end) {
  const std::string writes = input(1, "writes", valid);
  const std::string last = input(1, "ends", end);
  const std::string tag = made(columns * 16, "write_tag");
  body += fmt::format(R"(  covenant_observe_tags #(
    .Cycles ({}),
    .Columns({})
  ) u_{}_tags (
    .clk_i,
    .rst_ni,
    .valid_i    ({}),
    .last_step_i({}),
    .tag_o      ({})
  );
)",
                      cycles, columns, signal, writes, last, tag);
}

std::string ObserverPart::declare(uint64_t bits, const std::string& name, const std::string& net,
                                  std::string_view comment) {
  ports += fmt::format(",\n  input  logic {}{}{}_i{}", range(bits), prefix_, name, comment);
  binds += fmt::format(",\n  .{}{}_i({})", prefix_, name, net);
  return fmt::format("{}{}_i", prefix_, name);
}

std::string observer_prefix(uint32_t engine) { return fmt::format("e{}_", engine); }

std::string observer_net(uint32_t engine, std::string_view name) {
  return fmt::format("top.rootp->covenant_top__DOT__u_observer__DOT__e{}_{}", engine, name);
}

}  // namespace covenant::rtl
