#include "fuzz/random_chain.h"

#include <fmt/format.h>
#include <vector>

namespace covenant::runtime {
namespace {

std::string operand(Draw& draw, int64_t last) {
  if (draw.once_in(2)) return fmt::format("%{}", draw.between(0, last));
  return fmt::format("{:a}", static_cast<float>(draw.between(-400, 400)) / 64.0F);
}

}  // namespace

std::string random_chain(Draw& draw) {
  std::string steps = "load 0";
  const int64_t count = draw.between(1, 6);
  for (int64_t last = 0; last < count; ++last) {
    if (draw.once_in(8)) {
      steps += fmt::format("; sqrt %{}", last);
      continue;
    }
    const char* const pair = draw.of(std::vector<const char*>{"add", "sub", "mul", "div", "max", "min"});
    steps += fmt::format("; {} %{} {}", pair, last, operand(draw, last));
  }
  return steps;
}

}  // namespace covenant::runtime
