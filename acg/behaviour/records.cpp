#include <algorithm>

#include "acg/behaviour/expression_reader.h"

namespace covenant::acg::behaviour {
namespace {

using lang::Word;

Expression bits_of(Expression number, int64_t from, int64_t count) {
  Expression result;
  result.op = Op::kBits;
  result.where = number.where;
  result.type = {count, false, {}};
  result.range = result.type.range();
  result.value = from;
  result.children.push_back(std::move(number));
  return result;
}

Expression element_of(Expression array, int64_t at) {
  if (!array.type.is_array()) return array;
  Expression result = std::move(array);
  // An array of several dimensions lies row by row.
  for (int64_t size = result.type.elements(); result.type.is_array();) {
    size /= result.type.shape.front();
    result.children.push_back(constant_of(at / size, result.where));
    at %= size;
    result.type.shape.erase(result.type.shape.begin());
  }
  return result;
}

Expression shifted(Expression number, int64_t by) {
  Expression result;
  result.op = Op::kShiftLeft;
  result.where = number.where;
  result.range = {0, number.range.high << by};
  result.children.push_back(std::move(number));
  result.children.push_back(constant_of(by, result.where));
  return result;
}

Expression joined(Expression left, Expression right) {
  Expression result;
  result.op = Op::kOr;
  result.where = left.where;
  result.range = {0, 255};
  result.children.push_back(std::move(left));
  result.children.push_back(std::move(right));
  return result;
}

}  // namespace

std::optional<uint32_t> ExpressionReader::record(const std::string& name) const {
  for (uint32_t i = 0; i < behaviour_.records.size(); ++i) {
    if (behaviour_.records[i].name == name) return i;
  }
  return std::nullopt;
}

void ExpressionReader::forget_after(size_t names) {
  locals_.resize(names);
  std::erase_if(local_records_, [&](const RecordName& one) { return one.position >= names; });
}

void ExpressionReader::name_state_record(const Word& name, uint32_t record, std::vector<int64_t> shape) {
  state_records_.push_back({name.text, record, std::move(shape), 0});
}

void ExpressionReader::name_local_record(const Word& name, uint32_t record) {
  local_records_.push_back({name.text, record, {}, locals_.size() - 1});
}

std::optional<Expression> ExpressionReader::local_record(const Word& name) const {
  for (auto found = local_records_.rbegin(); found != local_records_.rend(); ++found) {
    if (found->name != name.text) continue;
    Expression result;
    result.op = Op::kRecord;
    result.index = found->record;
    result.where = name.where;
    for (const Member& member : behaviour_.records[found->record].members) {
      const auto local = std::find_if(locals_.begin(), locals_.end(),
                                      [&](const Variable& one) { return one.name == name.text + "." + member.name; });
      Expression& value = result.children.emplace_back();
      value.op = Op::kLocal;
      value.index = local->slot;
      value.type = local->type;
      value.whole = local->type.shape;
      value.range = local->range;
      value.where = name.where;
    }
    return result;
  }
  return std::nullopt;
}

std::optional<Expression> ExpressionReader::record_state(const Word& name) {
  const auto found = std::find_if(state_records_.begin(), state_records_.end(),
                                  [&](const RecordName& one) { return one.name == name.text; });
  if (found == state_records_.end()) return std::nullopt;
  const Record& record = behaviour_.records[found->record];
  Expression place;
  place.where = name.where;
  Type outer;
  outer.shape = found->shape;
  indices(place, outer);
  if (place.type.is_array()) throw expected("[", "say which of them: `" + name.text + "[0]`");
  const auto value_of = [&](const Member& member) {
    Expression value = place;
    const uint32_t index = *state(name.text + "." + member.name);
    value.op = Op::kState;
    value.index = index;
    value.type = member.type;
    value.whole = behaviour_.states[index].type.shape;
    value.range = member.type.range();
    return value;
  };
  if (accept(".")) {
    const Word member = word("a member");
    Expression value = value_of(record.members[index_in(record.members, member, record.name + " has no such member")]);
    Type inner = value.type;
    std::vector<int64_t> whole = value.whole;
    indices(value, inner);
    value.whole = std::move(whole);
    return value;
  }
  Expression result;
  result.op = Op::kRecord;
  result.index = found->record;
  result.where = name.where;
  for (const Member& member : record.members) result.children.push_back(value_of(member));
  return result;
}

Expression ExpressionReader::packed(const Expression& record, int64_t bytes) const {
  Expression result;
  result.op = Op::kList;
  result.where = record.where;
  result.type.shape = {bytes};
  result.range = {0, 255};
  result.children.assign(static_cast<size_t>(bytes), constant_of(0, record.where));
  const std::vector<Member>& members = behaviour_.records[record.index].members;
  for (size_t m = 0; m < members.size(); ++m) {
    const Type& type = members[m].type;
    for (int64_t e = 0; e < type.elements(); ++e) {
      const int64_t low = members[m].at + e * type.bits;
      for (int64_t at = low; at < low + type.bits;) {
        const int64_t end = std::min(low + type.bits, at / 8 * 8 + 8);
        if (at / 8 >= bytes) break;
        Expression& byte = result.children[static_cast<size_t>(at / 8)];
        byte = joined(std::move(byte), shifted(bits_of(element_of(record.children[m], e), at - low, end - at), at % 8));
        at = end;
      }
    }
  }
  return result;
}

}  // namespace covenant::acg::behaviour
