#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "acg/encoding/layout.h"
#include "acg/encoding/syntax.h"
#include "acg/graph/limits.h"
#include "acg/validate/validate_context.h"

namespace covenant::acg::checks {
namespace {

constexpr size_t kMaxPipes = 32;
constexpr uint32_t kExtendedWords = 2;  ///< of an instruction with a constant of 32 bits: its extender and itself

void rule_in_range(const Context& context, std::string_view name, uint32_t value, const Limits& limits) {
  if (limits.contains(value)) return;
  refuse(context.where(fmt::format("packet {}", name), context.of_machine("packet")), "packet",
         {"ACG0013",
          fmt::format("{} is out of range", name),
          fmt::format("{}", value),
          {text_of(limits)},
          "use a value in the range"});
}

void check_pipes(const Context& context, const PacketRules& rules) {
  std::set<std::string> seen;
  for (const std::string& pipe : rules.pipes) {
    const bool is_plain = is_quotable(pipe) && pipe.find('+') == std::string::npos;
    if (is_plain && seen.insert(pipe).second && seen.size() <= kMaxPipes) continue;
    refuse(context.of_machine("packet"), "packet",
           {"ACG0064",
            "a pipe that cannot be told from others",
            pipe,
            {fmt::format("up to {} different names without +", kMaxPipes)},
            "give every pipe a name of its own"});
  }
}

}  // namespace

void check_packet_rules(const Context& context) {
  const PacketRules& rules = context.machine.packet;
  if (rules == PacketRules{}) return;
  rule_in_range(context, "slots", rules.slots, kPacketSlots);
  rule_in_range(context, "words", rules.words, kPacketWords);
  rule_in_range(context, "interval", rules.interval, kPacketInterval);
  check_pipes(context, rules);
  if (rules.parse.size() != 1 || !is_word(rules.parse) || rules.parse == "_") {
    refuse(context.of_machine("packet"), "packet",
           {"ACG0064", "the parse bits have one letter", rules.parse, {"a letter"}, "write `parse = P;`"});
  }
  if (rules.more == rules.last || rules.loop_end == rules.last || rules.more == rules.loop_end) {
    refuse(context.of_machine("packet"), "packet",
           {"ACG0064",
            "parse bits that do not tell words apart",
            fmt::format("more {}, last {}, loop_end {}", rules.more, rules.last, rules.loop_end),
            {},
            "give more, last and loop_end different codes"});
  }
}

/// All mnemonics have the same parse bits: a decoder reads them before it knows the mnemonic.
void check_parse_bits(const Context& context) {
  const PacketRules& rules = context.machine.packet;
  if (rules.slots == 0) return;
  const std::vector<Mnemonic>& mnemonics = context.machine.mnemonics;
  for (const Mnemonic& mnemonic : mnemonics) {
    const std::string path = "mnemonic " + mnemonic.name;
    const std::vector<BitRange> ranges = ranges_of(mnemonic.encoding, rules.parse[0]);
    uint32_t width = 0;
    for (const BitRange& range : ranges) width += range.width;
    if (width == 0 || ranges != ranges_of(mnemonics.front().encoding, rules.parse[0])) {
      refuse(context.where(path + " encoding", mnemonic.where), path,
             {"ACG0064",
              "its parse bits are not where those of the other words are",
              mnemonic.encoding,
              {mnemonics.front().encoding},
              fmt::format("write the letter {} at the same bits of every encoding", rules.parse)});
    }
    for (const auto& [name, code] : {std::pair{"more", rules.more}, {"last", rules.last}, {"loop_end", rules.loop_end}})
      rule_in_range(context, name, code, constant_limits(width));
  }
}

void check_issue(const Context& context, const Mnemonic& mnemonic) {
  const std::string path = "mnemonic " + mnemonic.name;
  const PacketRules& rules = context.machine.packet;
  const uint32_t all_slots = rules.slots >= 32 ? ~uint32_t{0} : (uint32_t{1} << rules.slots) - 1;
  if (((mnemonic.slots | mnemonic.blocks) & ~all_slots) != 0) {
    refuse(mnemonic.where, path,
           {"ACG0064",
            "a slot that packets do not have",
            fmt::format("mask 0x{:x}", mnemonic.slots | mnemonic.blocks),
            {fmt::format("slots below {}", rules.slots)},
            "use slots of `packet`"});
  }
  for (uint32_t alternative : mnemonic.pipes) {
    if (alternative != 0 && (uint64_t{alternative} >> rules.pipes.size()) == 0) continue;
    refuse(mnemonic.where, path,
           {"ACG0064", "pipes that packets do not have", fmt::format("mask 0x{:x}", alternative), rules.pipes,
            "use pipes of `packet`"});
  }
  if (!kLatency.contains(mnemonic.latency)) {
    refuse(mnemonic.where, path,
           {"ACG0013",
            "latency is out of range",
            fmt::format("{}", mnemonic.latency),
            {text_of(kLatency)},
            "use fewer cycles"});
  }
  const bool is_extendable = std::any_of(mnemonic.fields.begin(), mnemonic.fields.end(),
                                         [](const Field& field) { return field.is_extendable; });
  if (is_extendable && (rules.slots == 0 || mnemonic.syntax.empty())) {
    refuse(mnemonic.where, path,
           {"ACG0063",
            "an extendable field outside of packets",
            mnemonic.name,
            {},
            "say `packet { ... }` and give the mnemonic a syntax"});
  }
  if (is_extendable && rules.words < kExtendedWords) {
    refuse(context.where("packet words", context.of_machine("packet")), "packet",
           {"ACG0064",
            fmt::format("a packet cannot hold {} with a constant of 32 bits, which takes two words", mnemonic.name),
            fmt::format("{}", rules.words),
            {fmt::format("{} or more", kExtendedWords)},
            "give packets more words, or leave out `extendable`"});
  }
  if (mnemonic.syntax.empty()) return;
  const SourceLocation where = context.where(path + " syntax", mnemonic.where);
  if (!is_quotable(mnemonic.syntax)) {
    refuse(where, path,
           {"ACG0013",
            "a syntax that cannot be written",
            mnemonic.syntax,
            {"printable ASCII without quotes"},
            "write the assembly text"});
  }
  std::vector<size_t> times(mnemonic.fields.size());
  for (const SyntaxPiece& piece : syntax_pieces(mnemonic)) {
    if (piece.field) ++times[*piece.field];
  }
  for (size_t i = 0; i < times.size(); ++i) {
    const Field& field = mnemonic.fields[i];
    if (times[i] == (is_said(field) ? 1 : 0)) continue;
    refuse(where, path,
           {"ACG0062",
            "the syntax names every field that has bits of its own, once",
            field.name,
            {},
            fmt::format("write {} {} in the syntax", field.name, is_said(field) ? "once" : "not")});
  }
}

}  // namespace covenant::acg::checks
