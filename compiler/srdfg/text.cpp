#include "compiler/srdfg/text.h"

#include <cctype>
#include <cstdlib>
#include <fmt/format.h>

#include "acg/base/byte_order_mark.h"
#include "acg/base/failure.h"

namespace covenant::compiler {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\' || byte < 0x20 || byte >= 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += character;
    }
  }
  return result + "\"";
}

std::string hexadecimal(const std::vector<uint8_t>& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  result.reserve(bytes.size() * 2);
  for (uint8_t byte : bytes) {
    result += kDigits[byte >> 4];
    result += kDigits[byte & 15];
  }
  return result;
}

TextReader::TextReader(std::string_view text, std::string_view file, TextForm form)
    : text_(without_byte_order_mark(text)), file_(file), form_(form) {}

void TextReader::complain(std::string_view wanted) const {
  const size_t end = std::min(position_ + 20, text_.size());
  throw Failure{{.code = std::string(form_.code),
                 .where = {file_, line_, static_cast<uint32_t>(position_ - line_start_ + 1)},
                 .subject = "",
                 .message = fmt::format("{} does not continue with {}", form_.what, wanted),
                 .offending = std::string(text_.substr(position_, end - position_)),
                 .allowed = {std::string(wanted)},
                 .fix = fmt::format("write the text as `covenant` prints it ({} shows the form)", form_.shown)}};
}

void TextReader::skip_space() {
  while (position_ < text_.size() &&
         (text_[position_] == ' ' || text_[position_] == '\r' || text_[position_] == '\n')) {
    if (text_[position_++] == '\n') {
      ++line_;
      line_start_ = position_;
    }
  }
}

bool TextReader::continues_with(std::string_view token) {
  skip_space();
  return text_.substr(position_).starts_with(token);
}

bool TextReader::accept(std::string_view token) {
  if (!continues_with(token)) return false;
  position_ += token.size();
  return true;
}

void TextReader::expect(std::string_view token) {
  if (!accept(token)) complain(fmt::format("`{}`", token));
}

void TextReader::expect_end() {
  skip_space();
  if (position_ != text_.size()) complain("end of text");
}

SourceLocation TextReader::where() {
  skip_space();
  return {file_, line_, static_cast<uint32_t>(position_ - line_start_ + 1)};
}

std::string_view TextReader::word() {
  skip_space();
  const size_t start = position_;
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  while (position_ < text_.size() && part(text_[position_])) ++position_;
  if (start == position_) complain("a word");
  return text_.substr(start, position_ - start);
}

DType TextReader::dtype() {
  const auto dtype = dtype_named(word());
  if (!dtype) complain("a dtype: i8 u8 i16 u16 i32 u32 f32");
  return *dtype;
}

double TextReader::real() {
  skip_space();
  size_t end = position_;
  while (end < text_.size() && std::string_view(",];} \n").find(text_[end]) == std::string_view::npos) ++end;
  const std::string digits(text_.substr(position_, end - position_));
  char* stop = nullptr;
  const double number = std::strtod(digits.c_str(), &stop);
  if (digits.empty() || *stop != '\0') complain("a number");
  position_ = end;
  return number;
}

uint8_t TextReader::nibble(char c) const {
  if (c >= '0' && c <= '9') return static_cast<uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<uint8_t>(c - 'a' + 10);
  complain("a hexadecimal digit");
}

uint8_t TextReader::byte() {
  if (position_ + 2 > text_.size()) complain("two hexadecimal digits");
  const auto high = nibble(text_[position_]);
  ++position_;
  const auto low = nibble(text_[position_]);
  ++position_;
  return static_cast<uint8_t>(high << 4 | low);
}

std::string TextReader::text() {
  expect("\"");
  std::string result;
  while (position_ < text_.size() && text_[position_] != '"') {
    if (text_[position_] == '\n') complain("the end of the quoted text");
    if (text_.substr(position_).starts_with("\\x")) {
      position_ += 2;
      result += static_cast<char>(byte());
    } else {
      result += text_[position_++];
    }
  }
  expect("\"");
  return result;
}

std::vector<uint8_t> TextReader::bytes() {
  expect("\"");
  std::vector<uint8_t> result;
  while (position_ < text_.size() && text_[position_] != '"') result.push_back(byte());
  expect("\"");
  return result;
}

}  // namespace covenant::compiler
