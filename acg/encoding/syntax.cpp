#include "acg/encoding/syntax.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace covenant::acg {
namespace {

bool is_word_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

const OperandInfo& operand_of(const Mnemonic& mnemonic, const Field& field) {
  return info(mnemonic.does).operands[operand_index(mnemonic.does, field.operand)];
}

std::string_view prefix_of(OperandKind kind) {
  switch (kind) {
    case OperandKind::kScalar:
    case OperandKind::kScalarPair:
      return "r";
    case OperandKind::kVector:
    case OperandKind::kVectorPair:
      return "v";
    case OperandKind::kPredicate:
      return "p";
    case OperandKind::kVectorPredicate:
      return "q";
    case OperandKind::kModifier:
      return "m";
    case OperandKind::kProduced:
    case OperandKind::kProducedScalar:
      return "n";
    default:
      return "";
  }
}

/// Reads text from left to right and skips spaces.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : left_(text) {}

  bool accept(std::string_view literal) {
    const std::string_view before = left_;
    for (char wanted : literal) {
      if (wanted == ' ') continue;
      skip_spaces();
      if (left_.empty() || left_.front() != wanted) {
        left_ = before;
        return false;
      }
      left_.remove_prefix(1);
    }
    return true;
  }

  std::optional<int64_t> number() {
    skip_spaces();
    const std::string_view before = left_;
    const bool is_negative = left_.starts_with('-');
    if (is_negative) left_.remove_prefix(1);
    const bool is_hexadecimal = left_.starts_with("0x");
    if (is_hexadecimal) left_.remove_prefix(2);
    uint32_t value = 0;
    const auto [end, error] =
        std::from_chars(left_.data(), left_.data() + left_.size(), value, is_hexadecimal ? 16 : 10);
    if (error != std::errc{}) {
      left_ = before;
      return std::nullopt;
    }
    left_.remove_prefix(static_cast<size_t>(end - left_.data()));
    return is_negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  }

  /// Index of the longest of `names` that stands here.
  std::optional<size_t> one_of(const std::vector<std::string>& names) {
    skip_spaces();
    std::optional<size_t> best;
    for (size_t i = 0; i < names.size(); ++i) {
      if (left_.starts_with(names[i]) && (!best || names[i].size() > names[*best].size())) best = i;
    }
    if (best) left_.remove_prefix(names[*best].size());
    return best;
  }

  bool at_end() {
    skip_spaces();
    return left_.empty();
  }

 private:
  void skip_spaces() {
    while (!left_.empty() && (left_.front() == ' ' || left_.front() == '\t')) left_.remove_prefix(1);
  }
  std::string_view left_;
};

/// The register after the letter of a pair: `3:2` is register 2.
std::optional<int64_t> pair_number(Scanner& scanner) {
  const std::optional<int64_t> high = scanner.number();
  if (!high || !scanner.accept(":")) return std::nullopt;
  const std::optional<int64_t> low = scanner.number();
  if (!low || *high != *low + 1) return std::nullopt;
  return low;
}

std::optional<int64_t> register_number(Scanner& scanner, OperandKind kind, SyntaxMatch& match) {
  const std::string_view file = kind == OperandKind::kProduced ? "v" : "r";
  if (is_produced(kind) && scanner.accept(file)) {
    const std::optional<int64_t> number = scanner.number();
    if (!number) return std::nullopt;
    match.produced = fmt::format("{}{}", file, *number);
    return 0;
  }
  if (!scanner.accept(prefix_of(kind))) return std::nullopt;
  return is_pair(kind) ? pair_number(scanner) : scanner.number();
}

std::optional<int64_t> value_here(Scanner& scanner, const Field& field, const OperandInfo& operand,
                                  const TextPlace& place, SyntaxMatch& match) {
  if (field.kind == FieldKind::kEnumeration) {
    const std::optional<size_t> name = scanner.one_of(field.values);
    return name ? std::optional<int64_t>(static_cast<int64_t>(*name)) : std::nullopt;
  }
  if (!prefix_of(operand.kind).empty()) return register_number(scanner, operand.kind, match);
  std::optional<int64_t> number = scanner.number();
  if (number && field.is_relative) {
    // Addresses and the differences between them have 32 bits, modulo 2^32.
    number = static_cast<int32_t>(static_cast<uint32_t>(*number) - place.address);
  }
  return number;
}

}  // namespace

std::vector<SyntaxPiece> syntax_pieces(const Mnemonic& mnemonic) {
  std::vector<SyntaxPiece> pieces;
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) pieces.push_back({literal, std::nullopt});
    literal.clear();
  };
  const std::string& text = mnemonic.syntax;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_word_letter(text[end])) ++end;
    const std::string word = text.substr(at, std::max<size_t>(end - at, 1));
    const auto field = std::find_if(mnemonic.fields.begin(), mnemonic.fields.end(),
                                    [&](const Field& candidate) { return candidate.name == word; });
    if (field == mnemonic.fields.end()) {
      literal += word;
    } else {
      flush();
      pieces.push_back({"", static_cast<size_t>(field - mnemonic.fields.begin())});
    }
    at += word.size();
  }
  flush();
  return pieces;
}

std::string operand_text(const Field& field, const OperandInfo& operand, int32_t value, const TextPlace& place) {
  if (field.kind == FieldKind::kEnumeration) return field.values.at(static_cast<size_t>(value));
  if (is_produced(operand.kind) && !place.produced.empty()) return place.produced;
  const std::string_view prefix = prefix_of(operand.kind);
  if (is_pair(operand.kind)) return fmt::format("{}{}:{}", prefix, value + 1, value);
  if (!prefix.empty()) return fmt::format("{}{}", prefix, value);
  if (field.is_relative) return fmt::format("0x{:x}", place.address + static_cast<uint32_t>(value));
  if (field.is_signed) return fmt::format("{}", value);
  return fmt::format("{}", static_cast<uint32_t>(value));
}

std::string syntax_text(const Mnemonic& mnemonic, const std::vector<SyntaxPiece>& pieces,
                        const std::vector<int32_t>& values, const TextPlace& place) {
  std::string text;
  for (const SyntaxPiece& piece : pieces) {
    if (!piece.field) {
      text += piece.literal;
      continue;
    }
    const Field& field = mnemonic.fields[*piece.field];
    // Addresses are written alike with and without an extender.
    if (field.is_extendable && place.is_extended && !field.is_relative) text += text.ends_with('#') ? "#" : "##";
    text += operand_text(field, operand_of(mnemonic, field), values.at(*piece.field), place);
  }
  return text;
}

std::optional<SyntaxMatch> match_syntax(const Mnemonic& mnemonic, const std::vector<SyntaxPiece>& pieces,
                                        std::string_view text, const TextPlace& place) {
  Scanner scanner(text);
  SyntaxMatch match;
  match.values.resize(mnemonic.fields.size());
  bool after_hash = false;  // true after the # of a number, which belongs to the syntax; an address has none
  for (const SyntaxPiece& piece : pieces) {
    if (!piece.field) {
      if (!scanner.accept(piece.literal)) return std::nullopt;
      after_hash = piece.literal.ends_with('#');
      continue;
    }
    const Field& field = mnemonic.fields[*piece.field];
    if (field.is_extendable && after_hash) match.is_extended = scanner.accept("#");
    const std::optional<int64_t> value = value_here(scanner, field, operand_of(mnemonic, field), place, match);
    if (!value) return std::nullopt;
    match.values[*piece.field] = static_cast<int32_t>(*value);
  }
  if (!scanner.at_end()) return std::nullopt;
  return match;
}

}  // namespace covenant::acg
