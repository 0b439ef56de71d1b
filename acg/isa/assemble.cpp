// The part of Codec that reads assembly text.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include "acg/base/suggest.h"
#include "acg/base/trimmed.h"
#include "acg/encoding/word_text.h"
#include "acg/isa/encode.h"

namespace covenant::acg {
namespace {

std::vector<std::string_view> operands_of(std::string_view text) {
  std::vector<std::string_view> result;
  text = trimmed(text);
  if (text.empty()) return result;
  for (;;) {
    const size_t comma = text.find(',');
    result.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return result;
    text.remove_prefix(comma + 1);
  }
}

template <typename T>
bool parse_whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

/// The bits that encode `text` in `field`. Nothing if the field cannot hold it.
std::optional<uint32_t> bits_of(const Field& field, std::string_view text) {
  if (field.kind == FieldKind::kEnumeration) {
    const auto found = std::find(field.values.begin(), field.values.end(), text);
    if (found == field.values.end()) return std::nullopt;
    return static_cast<uint32_t>(found - field.values.begin());
  }
  int64_t value = 0;
  if (!parse_whole(text, value)) return std::nullopt;
  const int64_t count = int64_t{1} << field.width;
  const int64_t lowest = field.is_signed ? -count / 2 : 0;
  if (value < lowest || value >= lowest + count) return std::nullopt;
  return static_cast<uint32_t>(static_cast<uint64_t>(value) & static_cast<uint64_t>(count - 1));
}

std::vector<std::string> allowed_of(const Field& field) {
  if (field.kind == FieldKind::kEnumeration) return field.values;
  const int64_t count = int64_t{1} << field.width;
  const int64_t lowest = field.is_signed ? -count / 2 : 0;
  return {fmt::format("{}..{}", lowest, lowest + count - 1)};
}

Diagnostic wrong_operands(std::string message, std::string_view offending, std::vector<std::string> allowed,
                          std::string fix) {
  return {"ISA0007", {}, "", std::move(message), std::string(offending), std::move(allowed), std::move(fix)};
}

Result<InstructionWord> data_word(std::string_view text, uint32_t word_bits) {
  const InstructionWord all = InstructionWord::ones(word_bits);
  if (text.starts_with("0x")) {
    const std::optional<InstructionWord> word = word_of_hex(text.substr(2));
    if (word && (*word & ~all) == InstructionWord()) return *word;
  }
  return wrong_operands(fmt::format(".word takes one hexadecimal number of {} bits", word_bits), text,
                        {"0x0..0x" + hex(all, word_bits)}, "write `.word 0x...`");
}

}  // namespace

Result<InstructionWord> Codec::assemble(const std::string& text) const {
  const std::string_view line = trimmed(text);
  const size_t space = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view name = line.substr(0, space);
  if (name == ".word") return data_word(trimmed(line.substr(space)), word_bits_);
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& candidate) { return candidate.mnemonic.name == name; });
  if (entry == entries_.end() || !entry->mnemonic.syntax.empty()) {
    Result<InstructionWord> word = assemble_by_syntax(text);
    if (word || word.error().code != "ISA0006") return word;
    std::vector<std::string> known;
    for (const Entry& candidate : entries_) {
      known.push_back(candidate.mnemonic.syntax.empty() ? candidate.mnemonic.name : candidate.mnemonic.syntax);
    }
    std::string fix = suggest(name, known);
    return Diagnostic{"ISA0006", {}, "", "unknown mnemonic", std::string(name), std::move(known), std::move(fix)};
  }
  return assemble_as(*entry, operands_of(line.substr(space)));
}

Result<InstructionWord> Codec::assemble_as(const Entry& entry, const std::vector<std::string_view>& operands) const {
  std::vector<std::string> names;
  for (const Field& field : entry.mnemonic.fields) {
    if (is_said(field)) names.push_back(field.name);
  }
  const std::string usage = fmt::format("{} {}", entry.mnemonic.name, fmt::join(names, ", "));
  if (operands.size() != names.size()) {
    return wrong_operands(fmt::format("{} takes {} operands", entry.mnemonic.name, names.size()),
                          fmt::format("{} operands", operands.size()), names, fmt::format("write `{}`", usage));
  }
  InstructionWord word = entry.match | alone_;
  size_t at = 0;
  for (size_t i = 0; i < entry.mnemonic.fields.size(); ++i) {
    const Field& field = entry.mnemonic.fields[i];
    if (!is_said(field)) continue;
    const std::optional<uint32_t> bits = bits_of(field, operands[at]);
    if (!bits) {
      return wrong_operands(fmt::format("field {} of {} cannot hold this", field.name, entry.mnemonic.name),
                            operands[at], allowed_of(field), suggest(operands[at], allowed_of(field)));
    }
    word |= scattered(*bits, entry.ranges[i]);
    ++at;
  }
  return word;
}

Codec::Written Codec::written_as(const Entry& entry, const SyntaxMatch& match) const {
  Written written;
  written.decoded.mnemonic = static_cast<uint32_t>(&entry - entries_.data());
  written.decoded.instruction.operation = entry.mnemonic.does;
  written.is_extended = match.is_extended;
  for (size_t i = 0; i < entry.mnemonic.fields.size(); ++i) {
    const Field& field = entry.mnemonic.fields[i];
    const bool is_name = field.kind == FieldKind::kEnumeration;
    const int32_t value = is_said(field) ? match.values[i] : static_cast<int32_t>(field.constant);
    written.decoded.instruction.operands[entry.operands[i]] =
        is_name ? entry.codes[i].at(static_cast<size_t>(value)) : value;
  }
  written.produced = match.produced;
  return written;
}

Result<Codec::Written> Codec::read(std::string_view text, const TextPlace& place) const {
  std::optional<Written> first;
  for (const Entry& entry : entries_) {
    if (entry.mnemonic.syntax.empty()) continue;
    const std::optional<SyntaxMatch> match = match_syntax(entry.mnemonic, entry.pieces, text, place);
    if (!match) continue;
    // Several mnemonics may share one spelling: the first one whose fields can hold the values is taken.
    Written written = written_as(entry, *match);
    const Instruction& instruction = written.decoded.instruction;
    if (encode_as(entry, instruction, written.is_extended) || encode_as(entry, instruction, true)) return written;
    if (!first) first = std::move(written);
  }
  if (first) return *std::move(first);
  std::vector<std::string> known;
  for (const Entry& entry : entries_) {
    if (!entry.mnemonic.syntax.empty()) known.push_back(entry.mnemonic.syntax);
  }
  std::string fix = suggest(text, known);
  return Diagnostic{"ISA0006",     {}, "", "no instruction is written so", std::string(text), std::move(known),
                    std::move(fix)};
}

Result<InstructionWord> Codec::assemble_by_syntax(const std::string& text) const {
  const Result<Written> written = read(text, {});
  if (!written) return written.error();
  if (written->is_extended || !written->produced.empty()) {
    return wrong_operands("a single word has neither an extender nor a producer beside it", text, {},
                          "assemble it as a part of its packet");
  }
  Result<InstructionWord> word = encode_as(entries_.at(written->decoded.mnemonic), written->decoded.instruction, false);
  if (word) return word;
  return wrong_operands(word.error().message, word.error().offending, word.error().allowed, word.error().fix);
}

}  // namespace covenant::acg
