/// Printing and parsing of tokens that the text forms of graphs and networks share.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/base/dtype.h"

namespace covenant::compiler {

/// The text in double quotes; quotes, backslashes and characters other than printable ASCII as `\xHH`.
std::string quoted(std::string_view text);

/// Two lower-case hexadecimal digits for each byte.
std::string hexadecimal(const std::vector<uint8_t>& bytes);

/// Describes a text form for messages.
struct TextForm {
  std::string_view code;   ///< code of its diagnostics
  std::string_view what;   ///< what it is: "the text of a graph"
  std::string_view shown;  ///< where the form is documented
};

/// Reads a text from its beginning. Throws Failure with the form's code if the text does not continue as required.
class TextReader {
 public:
  TextReader(std::string_view text, std::string_view file, TextForm form);

  [[noreturn]] void complain(std::string_view wanted) const;

  bool continues_with(std::string_view token);
  bool accept(std::string_view token);
  void expect(std::string_view token);
  void expect_end();
  SourceLocation where();

  std::string_view word();
  DType dtype();
  double real();
  std::string text();            ///< a text as `quoted` writes it
  std::vector<uint8_t> bytes();  ///< bytes as `hexadecimal` writes them, in double quotes

  template <typename T>
  T integer() {
    skip_space();
    T number{};
    const auto [end, error] = std::from_chars(text_.data() + position_, text_.data() + text_.size(), number);
    if (error != std::errc{}) complain("an integer in range");
    position_ = static_cast<size_t>(end - text_.data());
    return number;
  }

  /// A list of elements between `open` and `close`, separated by commas.
  template <typename Element>
  auto list(std::string_view open, std::string_view close, Element element) {
    std::vector<decltype(element())> result;
    expect(open);
    if (accept(close)) return result;
    do result.push_back(element());
    while (accept(","));
    expect(close);
    return result;
  }

 private:
  void skip_space();
  uint8_t nibble(char c) const;
  uint8_t byte();

  std::string_view text_;
  std::string file_;
  TextForm form_;
  size_t position_ = 0;
  size_t line_start_ = 0;
  uint32_t line_ = 1;
};

}  // namespace covenant::compiler
