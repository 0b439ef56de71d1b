#include "acg/behaviour/native/slots.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "acg/behaviour/ranges.h"

namespace covenant::acg::behaviour::native {
namespace {

using Live = std::set<uint32_t>;

Range hull(const Range& a, const Range& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

void add(Slots& slots, uint32_t slot, int64_t elements, const Range& range) {
  const auto [found, is_new] = slots.try_emplace(slot, Slot{elements, range});
  if (!is_new) found->second.range = hull(found->second.range, range);
}

/// Numbers are read with the range that they were declared with.
void add_read_ranges(const Expression& expression, Slots& slots) {
  if (expression.op == Op::kLocal && expression.whole.empty()) {
    const auto found = slots.find(expression.index);
    if (found != slots.end()) found->second.range = hull(found->second.range, expression.range);
  }
  for (const Expression& child : expression.children) add_read_ranges(child, slots);
}

std::optional<uint32_t> defined_by(const Code& code) {
  if (code.kind == CodeKind::kLet || code.kind == CodeKind::kPop) return code.index;
  return std::nullopt;
}

std::vector<uint32_t> successors(const std::vector<Code>& code, uint32_t at) {
  const Code& one = code[at];
  if (one.kind == CodeKind::kJump) return {one.target};
  if (one.kind == CodeKind::kJumpUnless) return {at + 1, one.target};
  if (one.kind == CodeKind::kFault) return {};
  return {at + 1};
}

/// Slots that are read after each place and not written before.
std::vector<Live> live_at(const std::vector<Code>& code) {
  std::vector<Live> live(code.size() + 1), used(code.size());
  for (uint32_t i = 0; i < code.size(); ++i) used[i] = uses_of(code[i]);
  for (bool changes = true; changes;) {
    changes = false;
    for (uint32_t i = static_cast<uint32_t>(code.size()); i-- > 0;) {
      Live now = used[i];
      const std::optional<uint32_t> defined = defined_by(code[i]);
      for (const uint32_t next : successors(code, i)) {
        for (const uint32_t slot : live[next]) {
          if (slot != defined) now.insert(slot);
        }
      }
      if (now.size() == live[i].size()) continue;
      live[i] = std::move(now);
      changes = true;
    }
  }
  return live;
}

}  // namespace

bool fits_32(const Range& range) {
  return range.low >= std::numeric_limits<int32_t>::min() && range.high <= std::numeric_limits<int32_t>::max();
}

Range range_of(const Expression& expression) {
  if (expression.op != Op::kAdd || expression.range.low != 0 || expression.range.high != 0) return expression.range;
  const std::optional<Range> sum =
      behaviour::range_of(Op::kAdd, {range_of(expression.children[0]), range_of(expression.children[1])});
  return sum.value_or(Range{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()});
}

std::string element_type(const Range& range) {
  for (const int bits : {8, 16, 32}) {
    if (range.low >= 0 && range.high < (int64_t{1} << bits)) return fmt::format("uint{}_t", bits);
    if (range.low >= -(int64_t{1} << (bits - 1)) && range.high < (int64_t{1} << (bits - 1))) {
      return fmt::format("int{}_t", bits);
    }
  }
  return "int64_t";
}

int64_t memory_bytes(const Type& type) {
  int64_t bytes = 1;
  while (8 * bytes < type.bits) bytes *= 2;
  return bytes;
}

std::string memory_type(const Type& type) {
  return fmt::format("{}int{}_t", type.is_signed ? "" : "u", 8 * memory_bytes(type));
}

void add_uses(const Expression& expression, std::set<uint32_t>& uses) {
  if (expression.op == Op::kLocal) uses.insert(expression.index);
  for (const Expression& child : expression.children) add_uses(child, uses);
  // Only what stands in it reads the variable of a loop, whose slot is of no one else.
  if (expression.op == Op::kSum || expression.op == Op::kEach) uses.erase(expression.index);
}

std::set<uint32_t> uses_of(const Code& code) {
  std::set<uint32_t> uses;
  for (const Expression& expression : code.expressions) add_uses(expression, uses);
  return uses;
}

std::set<uint32_t> resumptions(const std::vector<Code>& code) {
  std::set<uint32_t> places{0};
  for (uint32_t i = 0; i < code.size(); ++i) {
    const CodeKind kind = code[i].kind;
    if (kind == CodeKind::kPop || kind == CodeKind::kPush || kind == CodeKind::kWait) places.insert(i);
    if (kind == CodeKind::kEndStep || kind == CodeKind::kExecute) places.insert(i + 1);
  }
  return places;
}

Slots slots_of(const Behaviour& behaviour, const std::vector<Code>& code, const std::vector<Field>& fields) {
  Slots slots;
  const auto elements = [](const Type& type) { return type.is_array() ? type.elements() : 0; };
  for (const Field& field : fields) {
    const Type& type = field.variable.type;
    add(slots, field.variable.slot, elements(type), type.range());
  }
  for (const Code& one : code) {
    if (one.kind == CodeKind::kLet) {
      add(slots, one.index, elements(one.expressions.front().type), range_of(one.expressions.front()));
    } else if (one.kind == CodeKind::kPop) {
      const Type& type = behaviour.queues[one.queue].type;
      add(slots, one.index, elements(type), type.range());
    }
  }
  for (const Code& one : code) {
    for (const Expression& expression : one.expressions) add_read_ranges(expression, slots);
  }
  const std::vector<Live> live = live_at(code);
  for (const uint32_t place : resumptions(code)) {
    for (const uint32_t slot : live[place]) slots.at(slot).is_kept = true;
  }
  return slots;
}

}  // namespace covenant::acg::behaviour::native
