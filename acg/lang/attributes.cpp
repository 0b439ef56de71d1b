#include "acg/lang/attributes.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "acg/base/failure.h"
#include "acg/base/suggest.h"
#include "acg/lang/evaluate.h"

namespace covenant::acg::lang {

AttributeReader::AttributeReader(std::string path, const std::vector<AttributeSpec>& said,
                                 std::vector<std::string> allowed, const std::map<std::string, int64_t>& parameters,
                                 Places& places)
    : path_(std::move(path)), said_(said), parameters_(parameters) {
  for (const AttributeSpec& attribute : said_) {
    const Word& name = attribute.name;
    if (std::find(allowed.begin(), allowed.end(), name.text) == allowed.end()) {
      throw Failure{
          {"ACG0003", name.where, path_, "unknown attribute", name.text, allowed, suggest(name.text, allowed)}};
    }
    if (!places.emplace(path_ + " " + name.text, attribute.value.where).second) {
      throw Failure{{"ACG0004", name.where, path_, "said twice", name.text, {}, "keep one of the two"}};
    }
  }
}

const AttributeSpec* AttributeReader::find(std::string_view name) const {
  for (const AttributeSpec& attribute : said_) {
    if (attribute.name.text == name) return &attribute;
  }
  return nullptr;
}

uint64_t count_of(const Expression& expression, const std::map<std::string, int64_t>& parameters, uint64_t held,
                  std::vector<std::string> allowed, const std::string& subject, std::string_view name) {
  const int64_t value = evaluate(expression, parameters);
  if (value < 0 || static_cast<uint64_t>(value) > held) {
    throw Failure{{"ACG0013", expression.where, subject, fmt::format("{} is out of range", name),
                   fmt::format("{}", value), std::move(allowed), "use a value in the range"}};
  }
  return static_cast<uint64_t>(value);
}

uint64_t AttributeReader::number(std::string_view name, uint64_t otherwise, uint64_t held,
                                 std::vector<std::string> allowed) const {
  const AttributeSpec* attribute = find(name);
  return attribute == nullptr ? otherwise
                              : count_of(attribute->value, parameters_, held, std::move(allowed), path_, name);
}

uint32_t AttributeReader::number32(std::string_view name, uint32_t otherwise, std::vector<std::string> allowed) const {
  return static_cast<uint32_t>(number(name, otherwise, std::numeric_limits<uint32_t>::max(), std::move(allowed)));
}

double AttributeReader::real(std::string_view name) const {
  constexpr double kHighest = 1e12;
  const AttributeSpec* attribute = find(name);
  if (attribute == nullptr) return 0;
  const double value = evaluate_real(attribute->value, parameters_);
  if (value >= 0 && value <= kHighest) return value + 0.0;  // never -0
  throw Failure{{"ACG0013",
                 attribute->value.where,
                 path_,
                 fmt::format("{} is out of range", name),
                 fmt::format("{}", value),
                 {fmt::format("0..{}", kHighest)},
                 "use a value in the range"}};
}

const Expression* AttributeReader::word(std::string_view name) const {
  const AttributeSpec* attribute = find(name);
  if (attribute == nullptr) return nullptr;
  if (attribute->value.kind != ExpressionKind::kName) {
    throw Failure{{"ACG0003",
                   attribute->value.where,
                   path_,
                   fmt::format("{} takes a word", name),
                   "an expression",
                   {},
                   fmt::format("write `{} = WORD;`", name)}};
  }
  return &attribute->value;
}

}  // namespace covenant::acg::lang
