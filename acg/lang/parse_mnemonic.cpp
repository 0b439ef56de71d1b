#include "acg/lang/parse_mnemonic.h"

#include <optional>

namespace covenant::acg::lang {
namespace {

FieldKind field_kind(const LexedToken& token) {
  if (token.text == "ifield") return FieldKind::kInteger;
  if (token.text == "efield") return FieldKind::kEnumeration;
  if (token.text == "constant") return FieldKind::kConstant;
  if (token.text == "fixed") return FieldKind::kFixed;
  throw TokenCursor::unknown_word(
      token, "in a mnemonic",
      {"ifield", "efield", "constant", "fixed", "does", "encoding", "syntax", "slots", "blocks", "pipes", "latency"});
}

bool is_letter(const Expression& said) { return said.kind == ExpressionKind::kName && said.name.size() == 1; }

}  // namespace

template <typename T>
void MnemonicParser::once(std::optional<T>& slot, const LexedToken& start, T value) {
  if (slot) throw TokenCursor::twice(start.where, start.text);
  slot = std::move(value);
}

MnemonicSpec MnemonicParser::mnemonic() {
  cursor_.advance();
  MnemonicSpec mnemonic;
  mnemonic.name = cursor_.word("the name of the mnemonic");
  if (cursor_.accept("(")) {
    mnemonic.opcode = expression_();
    cursor_.require(")");
  }
  cursor_.require("{");
  while (!cursor_.at_symbol("}")) {
    if (cursor_.peek().kind == TokenKind::kEnd) throw cursor_.expected("}", "close the block with }");
    item(mnemonic);
    // The Covenant paper separates fields by commas and ends the last one without one.
    if (!cursor_.accept(";") && !cursor_.accept(",") && !cursor_.at_symbol("}")) throw cursor_.expected(";");
  }
  cursor_.advance();
  return mnemonic;
}

void MnemonicParser::item(MnemonicSpec& mnemonic) {
  const LexedToken start = cursor_.peek();
  if (start.kind != TokenKind::kWord) throw cursor_.expected("a field");
  const auto take = [&] { cursor_.advance(); };
  if (start.text == "does") return take(), once(mnemonic.does, start, operation());
  if (start.text == "encoding") return take(), once(mnemonic.encoding, start, equals_string("the bits of the word"));
  if (start.text == "syntax") return take(), once(mnemonic.syntax, start, equals_string("the assembly text"));
  if (start.text == "slots") return take(), once(mnemonic.slots, start, numbers());
  if (start.text == "blocks") return take(), once(mnemonic.blocks, start, numbers());
  if (start.text == "pipes") {
    take();
    cursor_.require("=");
    return once(mnemonic.pipes, start, names());
  }
  if (start.text == "latency") {
    take();
    cursor_.require("=");
    return once(mnemonic.latency, start, expression_());
  }
  mnemonic.fields.push_back(field());
}

Word MnemonicParser::equals_string(std::string_view what) {
  cursor_.require("=");
  return cursor_.string(what);
}

Word MnemonicParser::operation() {
  cursor_.require("=");
  Word result = cursor_.word("unit.operation");
  cursor_.require(".");
  result.text += "." + cursor_.word("the name of an operation").text;
  return result;
}

FieldSpec MnemonicParser::field() {
  const LexedToken start = cursor_.peek();
  FieldSpec result;
  result.kind = field_kind(start);
  result.where = start.where;
  cursor_.advance();
  cursor_.require("(");
  result.name = cursor_.string("the name of the field");
  cursor_.require(",");
  (result.kind == FieldKind::kFixed ? result.constant.emplace() : result.width) = expression_();
  if (is_letter(result.width)) result.letter = Word{result.width.name, result.width.where};
  if (result.kind == FieldKind::kConstant) {
    cursor_.require(",");
    result.constant = expression_();
  } else if (result.kind == FieldKind::kEnumeration) {
    cursor_.require(",");
    result.values = names();
  }
  cursor_.require(")");
  if (result.kind == FieldKind::kConstant) return result;
  marks(result);
  if (cursor_.accept("=")) result.operand = cursor_.word("the name of an operand");
  return result;
}

/// `signed scale 4 top 16 relative extendable reads(7) writes(9)`, each at most once, in any order.
void MnemonicParser::marks(FieldSpec& field) {
  while (cursor_.peek().kind == TokenKind::kWord) {
    const LexedToken mark = cursor_.peek();
    const bool is_flag = mark.text == "signed" || mark.text == "relative" || mark.text == "extendable";
    const bool is_stage = mark.text == "reads" || mark.text == "writes";
    const bool is_number = is_stage || mark.text == "scale" || mark.text == "top";
    if ((!is_flag && !is_number) || (field.kind != FieldKind::kInteger && !is_stage)) {
      return;  // the caller reports what was expected instead
    }
    cursor_.advance();
    if (is_flag) {
      bool& flag = mark.text == "signed"     ? field.is_signed
                   : mark.text == "relative" ? field.is_relative
                                             : field.is_extendable;
      if (flag) throw TokenCursor::twice(mark.where, mark.text);
      flag = true;
    } else if (!is_stage) {
      once(mark.text == "scale" ? field.scale : field.top, mark, expression_());
    } else {
      once(mark.text == "reads" ? field.reads : field.writes, mark, stage());
    }
  }
}

/// A stage such as `(7)`; nothing for a machine that does not distinguish stages.
Expression MnemonicParser::stage() {
  Expression result;
  result.where = cursor_.peek().where;
  if (!cursor_.accept("(")) return result;
  result = expression_();
  cursor_.require(")");
  return result;
}

std::vector<Word> MnemonicParser::names() {
  std::vector<Word> result;
  cursor_.require("[");
  do {
    result.push_back(cursor_.string("a name"));
  } while (cursor_.accept(","));
  cursor_.require("]");
  return result;
}

std::vector<Expression> MnemonicParser::numbers() {
  std::vector<Expression> result;
  cursor_.require("=");
  cursor_.require("[");
  do {
    result.push_back(expression_());
  } while (cursor_.accept(","));
  cursor_.require("]");
  return result;
}

PacketSpec MnemonicParser::packet() {
  PacketSpec packet;
  packet.where = cursor_.advance().where;
  cursor_.require("{");
  while (!cursor_.at_symbol("}")) {
    if (cursor_.peek().kind == TokenKind::kEnd) throw cursor_.expected("}", "close the block with }");
    const LexedToken start = cursor_.peek();
    const Word name = cursor_.word("an attribute of packets");
    cursor_.require("=");
    if (start.text == "pipes") {
      once(packet.pipes, start, names());
    } else if (start.text == "parse") {
      once(packet.parse, start, cursor_.word("the letter of the parse bits"));
    } else {
      packet.attributes.push_back({name, expression_()});
    }
    cursor_.require(";");
  }
  cursor_.advance();
  return packet;
}

}  // namespace covenant::acg::lang
