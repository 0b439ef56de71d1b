#include "acg/lang/resolve_mnemonic.h"

#include <fmt/format.h>
#include <limits>

#include "acg/base/failure.h"
#include "acg/base/suggest.h"
#include "acg/lang/attributes.h"

namespace covenant::acg::lang {
namespace {

constexpr uint64_t kAny32 = std::numeric_limits<uint32_t>::max();

/// Operations of the unit that the user named, or all if there is no such unit.
std::vector<std::string> allowed_operations(const std::string& said) {
  const std::string unit = said.substr(0, said.find('.'));
  std::vector<std::string> of_unit, all;
  for (const OperationInfo& entry : operations()) {
    all.push_back(fmt::format("{}.{}", entry.unit, entry.name));
    if (entry.unit == unit) of_unit.push_back(all.back());
  }
  return of_unit.empty() ? all : of_unit;
}

Operation operation_of(const MnemonicSpec& said) {
  const std::string subject = "mnemonic " + said.name.text;
  if (!said.does) {
    throw Failure{{"ACG0014",
                   said.name.where,
                   subject,
                   "an attribute is missing",
                   "does",
                   {},
                   "say what the word does: `does = unit.operation;`"}};
  }
  if (const std::optional<Operation> operation = operation_named(said.does->text)) return *operation;
  std::vector<std::string> allowed = allowed_operations(said.does->text);
  std::string fix = suggest(said.does->text, allowed);
  throw Failure{
      {"ACG0003", said.does->where, subject, "unknown operation", said.does->text, std::move(allowed), std::move(fix)}};
}

}  // namespace

Mnemonic resolve_mnemonic(const MnemonicSpec& said, const std::map<std::string, int64_t>& parameters, Places& places) {
  const std::string path = "mnemonic " + said.name.text;
  Mnemonic mnemonic;
  mnemonic.name = said.name.text;
  mnemonic.where = said.name.where;
  mnemonic.opcode = static_cast<uint32_t>(count_of(said.opcode, parameters, kAny32, path, "opcode"));
  mnemonic.does = operation_of(said);
  places[path + " opcode"] = said.opcode.where;
  places[path + " does"] = said.does->where;
  for (size_t i = 0; i < said.fields.size(); ++i) {
    const FieldSpec& entry = said.fields[i];
    Field field;
    field.kind = entry.kind;
    field.name = entry.name.text;
    field.is_signed = entry.is_signed;
    field.width = static_cast<uint32_t>(count_of(entry.width, parameters, kAny32, path, "width of a field"));
    if (entry.operand) field.operand = entry.operand->text;
    if (entry.constant) field.constant = count_of(*entry.constant, parameters, kAny32, path, "constant");
    for (const Word& value : entry.values) field.values.push_back(value.text);
    places[fmt::format("{} field {}", path, i)] = entry.where;
    mnemonic.fields.push_back(std::move(field));
  }
  return mnemonic;
}

}  // namespace covenant::acg::lang
