#include "acg/lang/parameters.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "acg/base/failure.h"
#include "acg/base/suggest.h"
#include "acg/lang/evaluate.h"
#include "acg/lang/parser.h"

namespace covenant::acg::lang {
namespace {

std::vector<std::string> parameter_names(const MachineSpec& spec) {
  std::vector<std::string> names;
  for (const ParameterSpec& parameter : spec.parameters) names.push_back(parameter.name.text);
  return names;
}

void require_known(const MachineSpec& spec, const std::string& name, const SourceLocation& where,
                   const std::string& subject) {
  const std::vector<std::string> names = parameter_names(spec);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw Failure{{"ACG0005", where, subject, fmt::format("the machine {} has no such parameter", spec.name.text), name,
                 names, suggest(name, names)}};
}

[[noreturn]] void twice(const Word& name, const std::string& subject) {
  throw Failure{{"ACG0004", name.where, subject, "said twice", name.text, {}, "keep one of the two"}};
}

void check_presets(const MachineSpec& spec) {
  for (size_t i = 0; i < spec.presets.size(); ++i) {
    const PresetSpec& preset = spec.presets[i];
    const std::string subject = fmt::format("preset \"{}\"", preset.name.text);
    for (size_t j = 0; j < i; ++j) {
      if (spec.presets[j].name.text == preset.name.text) twice(preset.name, "preset");
    }
    for (size_t j = 0; j < preset.settings.size(); ++j) {
      const Word& name = preset.settings[j].name;
      require_known(spec, name.text, name.where, subject);
      for (size_t k = 0; k < j; ++k) {
        if (preset.settings[k].name.text == name.text) twice(name, subject);
      }
    }
  }
}

const PresetSpec& find_preset(const MachineSpec& spec, const std::string& name, const SourceLocation& where) {
  std::vector<std::string> names;
  for (const PresetSpec& preset : spec.presets) {
    if (preset.name.text == name) return preset;
    names.push_back(preset.name.text);
  }
  std::string fix = suggest(name, names);
  throw Failure{{"ACG0006", where, "", fmt::format("the machine {} has no such preset", spec.name.text), name,
                 std::move(names), std::move(fix)}};
}

/// Runs `body`. If it refuses a value of `--set`, adds that setting to the message.
template <typename Body>
auto with_subject(const std::string& subject, Body&& body) {
  try {
    return body();
  } catch (Failure& failure) {
    if (failure.diagnostic.subject.empty()) failure.diagnostic.subject = subject;
    throw;
  }
}

struct Override {
  Expression value;
  std::string subject;  ///< "--set M=32"; empty for a value of a preset
};

[[noreturn]] void out_of_range(const ParameterSpec& parameter, int64_t value, const Override& taken,
                               std::vector<std::string> allowed, std::string fix) {
  throw Failure{{"ACG0013", taken.value.where, taken.subject.empty() ? "param " + parameter.name.text : taken.subject,
                 fmt::format("parameter {} is out of its range", parameter.name.text), fmt::format("{}", value),
                 std::move(allowed), std::move(fix)}};
}

void check_range(const ParameterSpec& parameter, int64_t value, const Override& taken,
                 const std::map<std::string, int64_t>& known) {
  if (parameter.is_boolean && value != 0 && value != 1) {
    out_of_range(parameter, value, taken, {"true", "false"}, "use true or false");
  }
  if (parameter.lowest && parameter.highest) {
    const int64_t lowest = evaluate(*parameter.lowest, known);
    const int64_t highest = evaluate(*parameter.highest, known);
    if (value >= lowest && value <= highest) return;
    const std::string range = fmt::format("{}..{}", lowest, highest);
    out_of_range(parameter, value, taken, {range}, fmt::format("use a value in {}", range));
  }
  if (parameter.choices.empty()) return;
  std::vector<std::string> allowed;
  for (const Expression& choice : parameter.choices) {
    const int64_t one = evaluate(choice, known);
    if (value == one) return;
    allowed.push_back(fmt::format("{}", one));
  }
  out_of_range(parameter, value, taken, std::move(allowed), "use one of the values listed");
}

/// The name that a parameter of names takes. An expression over other parameters is not a name.
const std::string& name_of(const ParameterSpec& parameter, const Override& taken) {
  std::vector<std::string> allowed;
  for (const Expression& choice : parameter.choices) {
    if (taken.value.kind == ExpressionKind::kName && taken.value.name == choice.name) return choice.name;
    allowed.push_back(choice.name);
  }
  std::string shown = taken.value.kind == ExpressionKind::kInteger ? fmt::format("{}", taken.value.value)
                      : taken.value.name.empty()                   ? "an expression"
                                                                   : taken.value.name;
  std::string fix = suggest(shown, allowed);
  throw Failure{{"ACG0013", taken.value.where, taken.subject.empty() ? "param " + parameter.name.text : taken.subject,
                 fmt::format("parameter {} has no such value", parameter.name.text), std::move(shown),
                 std::move(allowed), std::move(fix)}};
}

}  // namespace

ParameterValues parameter_values(const MachineSpec& spec, std::string_view preset, const Settings& set) {
  check_presets(spec);
  ParameterValues result;
  std::map<std::string, Override> overrides;
  result.preset = preset;
  SourceLocation asked = spec.name.where;
  if (result.preset.empty() && spec.default_preset) {
    result.preset = spec.default_preset->text;
    asked = spec.default_preset->where;
  }
  if (!result.preset.empty()) {
    for (const AttributeSpec& said : find_preset(spec, result.preset, asked).settings)
      overrides[said.name.text] = {said.value, ""};
  }
  for (const auto& [name, value] : set) {
    const std::string subject = fmt::format("--set {}={}", name, value);
    require_known(spec, name, {"<set>", 0, 0}, subject);
    overrides[name] =
        with_subject(subject, [&, &text = value] { return Override{parse_expression(text, "<set>"), subject}; });
  }
  std::set<std::string> declared;
  for (const ParameterSpec& parameter : spec.parameters) {
    const std::string& name = parameter.name.text;
    if (!declared.insert(name).second) twice(parameter.name, "param");
    const auto found = overrides.find(name);
    const Override taken = found == overrides.end() ? Override{parameter.value, ""} : found->second;
    if (parameter.is_name) {
      const std::string& chosen = name_of(parameter, taken);
      for (const Expression& choice : parameter.choices) {
        result.known[name + "." + choice.name] = choice.name == chosen ? 1 : 0;
      }
      continue;
    }
    const int64_t value = with_subject(taken.subject, [&] { return evaluate(taken.value, result.known); });
    check_range(parameter, value, taken, result.known);
    result.values[name] = value;
    result.known[name] = value;
    if (parameter.is_option && value == evaluate(parameter.value, result.known)) result.unlisted.push_back(name);
  }
  return result;
}

}  // namespace covenant::acg::lang
