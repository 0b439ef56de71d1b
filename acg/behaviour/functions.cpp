#include "acg/behaviour/functions.h"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "acg/base/failure.h"
#include "acg/base/suggest.h"

namespace covenant::acg::behaviour {
namespace {

void require_fits(int64_t number, const Variable& argument, const std::string& function) {
  const Range range = argument.type.range();
  if (range.low <= number && number <= range.high) return;
  throw Failure{{"BEH0002",
                 {},
                 function,
                 fmt::format("{} does not fit its type", argument.name),
                 fmt::format("{}", number),
                 {fmt::format("{}..{}", range.low, range.high)},
                 "give a number of this range"}};
}

}  // namespace

Functions::Functions(const Behaviour& behaviour)
    : behaviour_(behaviour),
      elements_(behaviour.states.begin(), behaviour.states.end()),
      waiting_(behaviour.queues.size()),
      values_(behaviour_, elements_, waiting_, cycles_) {}

const Function& Functions::find(std::string_view name) const {
  std::vector<std::string> known;
  for (const Function& function : behaviour_.functions) {
    if (function.name == name) return function;
    known.push_back(function.name);
  }
  std::string fix = suggest(std::string(name), known);
  throw Failure{{"BEH0001",
                 {},
                 behaviour_.machine,
                 "no function has this name",
                 std::string(name),
                 std::move(known),
                 std::move(fix)}};
}

std::vector<int64_t> Functions::call(const Function& function, const std::vector<int64_t>& arguments) {
  int64_t wanted = 0;
  for (const Variable& argument : function.arguments) wanted += argument.type.elements();
  if (arguments.size() != static_cast<size_t>(wanted)) {
    throw Failure{{"BEH0031",
                   {},
                   function.name,
                   "too few or too many arguments",
                   fmt::format("{} numbers", arguments.size()),
                   {fmt::format("{} numbers", wanted)},
                   "give a number for each element of each argument"}};
  }
  Expression call;
  call.op = Op::kCall;
  call.index = static_cast<uint32_t>(&function - behaviour_.functions.data());
  call.type = function.type;
  call.where = function.where;
  auto next = arguments.begin();
  for (const Variable& argument : function.arguments) {
    Expression list;
    list.op = Op::kList;
    list.type = argument.type;
    for (int64_t i = 0; i < argument.type.elements(); ++i) {
      require_fits(*next, argument, function.name);
      list.children.push_back(constant_of(*next++, function.where));
    }
    call.children.push_back(argument.type.is_array() ? std::move(list) : std::move(list.children.front()));
  }
  values_.begin_cycle();
  return values_.all(call, nullptr);
}

}  // namespace covenant::acg::behaviour
