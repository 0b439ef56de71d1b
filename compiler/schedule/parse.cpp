#include "compiler/schedule/parse.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "acg/base/byte_order_mark.h"
#include "acg/base/failure.h"

namespace covenant::compiler {
namespace {

bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(without_byte_order_mark(text)), here_{file, 1, 1} {}

  std::vector<LayerSchedule> schedules() {
    std::vector<LayerSchedule> result;
    for (skip(); at_ < text_.size(); skip()) result.push_back(layer());
    return result;
  }

 private:
  [[noreturn]] void expected(std::vector<std::string> allowed) const {
    const size_t end = std::min(text_.find_first_of(" \t\r\n;,{}", at_ + 1), text_.size());
    const bool is_end = at_ >= text_.size();
    throw Failure{{"SCH0001", here_, "", "the text of a schedule does not go on like this",
                   is_end ? "end of text" : std::string(text_.substr(at_, end - at_)), std::move(allowed),
                   "write what is allowed at this place (docs/reference/schedules.md)"}};
  }

  void take(size_t count) {
    for (; count > 0; --count, ++at_) {
      ++here_.column;
      if (text_[at_] != '\n') continue;
      ++here_.line;
      here_.column = 1;
    }
  }

  /// Skips blanks and comments.
  void skip() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        take(std::min(text_.find('\n', at_), text_.size()) - at_);
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        take(1);
      } else {
        return;
      }
    }
  }

  /// The word that starts here; empty if there is none.
  std::string_view peek_word() {
    skip();
    size_t end = at_;
    while (end < text_.size() && is_word_part(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  bool accept_word(std::string_view word) {
    if (peek_word() != word) return false;
    take(word.size());
    return true;
  }

  void require_word(const std::string& word) {
    if (!accept_word(word)) expected({word});
  }

  bool accept(char symbol) {
    skip();
    if (at_ >= text_.size() || text_[at_] != symbol) return false;
    take(1);
    return true;
  }

  void require(char symbol) {
    if (!accept(symbol)) expected({std::string(1, symbol)});
  }

  std::string loop() { return word("the name of a loop"); }

  std::string word(const std::string& what) {
    const std::string found(peek_word());
    if (found.empty() || std::isdigit(static_cast<unsigned char>(found.front())) != 0) expected({what});
    take(found.size());
    return found;
  }

  int64_t number() {
    const std::string_view digits = peek_word();
    if (digits.empty()) expected({"a number"});
    int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    if (error != std::errc{} || end != digits.data() + digits.size() || value < 1 || value > kMost) {
      throw Failure{{"SCH0002",
                     here_,
                     "",
                     "a number of trips is a whole number",
                     std::string(digits),
                     {"1 to " + std::to_string(kMost)},
                     "write how many trips of the loop one tile holds"}};
    }
    take(digits.size());
    return value;
  }

  /// A name between quotes; `\xNN` is the byte NN.
  std::string name(const std::string& what) {
    skip();
    const size_t end = at_ < text_.size() && text_[at_] == '"' ? text_.find_first_of("\"\n", at_ + 1) : text_.npos;
    if (end == text_.npos || text_[end] == '\n') expected({what + " in quotes"});
    std::string result;
    for (size_t i = at_ + 1; i < end; ++i) {
      unsigned byte = static_cast<unsigned char>(text_[i]);
      if (text_[i] == '\\') {
        const std::string_view digits = text_.substr(i + 2, 2);
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
        if (text_[i + 1] != 'x' || error != std::errc{} || stop != digits.data() + 2) expected({"\\xNN after a \\"});
        i += 3;
      }
      result += static_cast<char>(byte);
    }
    take(end + 1 - at_);
    return result;
  }

  LayerSchedule layer() {
    LayerSchedule schedule;
    require_word("layer");
    skip();
    schedule.where = here_;
    schedule.layer = name("the name of a layer");
    require('{');
    require_word("lowering");
    skip();
    schedule.lowering_where = here_;
    schedule.lowering = name("the name of an lowering");
    require(';');
    tiles_and_order(schedule);
    if (accept_word("split")) schedule.split = split();
    if (accept('}')) return schedule;
    if (schedule.split) expected({"}"});
    if (!schedule.order.empty()) expected({"split", "}"});
    expected({"tile", "order", "split", "}"});
  }

  SplitSchedule split() {
    SplitSchedule split;
    skip();
    split.where = here_;
    split.loop = loop();
    require_word("at");
    split.at = number();
    if (accept_word("on")) {
      skip();
      split.nodes_where = here_;
      do split.nodes.push_back(word("the name of a node"));
      while (accept(','));
    }
    require('{');
    tiles_and_order(split);
    if (accept('}')) return split;
    if (!split.order.empty()) expected({"}"});
    expected({"tile", "order", "}"});
  }

  /// Parses tiles and order of a layer, or of its second part.
  template <typename Part>
  void tiles_and_order(Part& part) {
    while (accept_word("tile")) part.tiles.push_back(tile());
    if (!accept_word("order")) return;
    skip();
    part.order_where = here_;
    do part.order.push_back(loop());
    while (accept(','));
    require(';');
  }

  LoopTile tile() {
    LoopTile tile;
    skip();
    tile.where = here_;
    tile.loop = loop();
    tile.size = number();
    if (accept_word("of")) tile.trips = number();
    require(';');
    return tile;
  }

  std::string_view text_;
  SourceLocation here_;
  size_t at_ = 0;
};

}  // namespace

Result<std::vector<LayerSchedule>> parse_schedules(std::string_view text, const std::string& file) {
  return guarded<std::vector<LayerSchedule>>([&] { return Reader(text, file).schedules(); });
}

}  // namespace covenant::compiler
