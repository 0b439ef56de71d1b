#include "rtl/gen/common/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace covenant::rtl {
namespace {

// Words in names of the top and of modules bound to it. tests/unit/rtl/names_test.cpp detects missing ones.
constexpr std::array<std::string_view, 71> kOwnWords{
    "accepts", "accumulate", "address", "answer",   "beat",       "beats",   "begins",    "bias",    "block",
    "blocks",  "burst",      "bus",     "busy",     "capability", "channel", "clk",       "command", "count",
    "counter", "data",       "done",    "element",  "ends",       "entry",   "error",     "fault",   "fetch",
    "fill",    "from",       "grant",   "grid",     "i",          "input",   "inside",    "issue",   "last",
    "memory",  "ni",         "o",       "observer", "offset",     "onchip",  "output",    "path",    "post",
    "read",    "ready",      "reg",     "request",  "retirement", "rst",     "sequencer", "skew",    "src1",
    "src2",    "stalled",    "start",   "status",   "strobe",     "sum",     "t",         "tags",    "token",
    "u",       "unused",     "valid",   "wait",     "waits",      "wanted",  "write",     "written"};

/// The last word of an identifier that is not what its name alone gives.
constexpr std::string_view kMark = "alt";

std::string cased_down(std::string_view name) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i, 2) == "->") {
      text += "_to_";
      ++i;
    } else {
      const auto character = static_cast<unsigned char>(name[i]);
      text += std::isalnum(character) != 0 ? static_cast<char>(std::tolower(character)) : '_';
    }
  }
  return text;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char character : text + "_") {
    if (character != '_') {
      word += character;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

/// The identifier of a name if it were the only one.
std::string plain(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kPrefixes{"bus", "u", "unused"};
  std::vector<std::string> words = words_of(cased_down(name));
  if (words.empty() || std::find(kPrefixes.begin(), kPrefixes.end(), words.front()) != kPrefixes.end())
    words.insert(words.begin(), "n");
  std::string text = fmt::format("{}", fmt::join(words, "_"));
  if (std::isdigit(static_cast<unsigned char>(text[0])) != 0) text.insert(0, "n");
  text.resize(std::min(text.size(), kLongestIdentifier));
  while (text.back() == '_') text.pop_back();
  return text;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_own(const std::string& word) {
  return std::binary_search(kOwnWords.begin(), kOwnWords.end(), word) ||
         (word.starts_with(kMark) && is_number(std::string_view(word).substr(kMark.size())));
}

}  // namespace

std::vector<std::string> identifiers(std::span<const std::string> names) {
  std::vector<std::string> result;
  std::set<std::string> taken;
  std::map<std::string, int> numbers;  // by identifier: how many names share it
  for (const std::string& name : names) {
    std::string text = plain(name);
    if (is_own(words_of(text).back()) || !taken.insert(text).second)
      text += fmt::format("_{}{}", kMark, ++numbers[text]);
    result.push_back(std::move(text));
  }
  return result;
}

std::span<const std::string_view> own_words() { return kOwnWords; }

std::string comment_of(const std::string& name) {
  return cased_down(name).starts_with("verilator") ? fmt::format("`{}`", name) : name;
}

}  // namespace covenant::rtl
