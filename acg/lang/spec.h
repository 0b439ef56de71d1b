/// What an `.acg` file says, before parameters are resolved: the first of the two steps from text to Machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/isa/mnemonic.h"

namespace covenant::acg::lang {

/// A word or a string of the text and where it stands.
struct Word {
  std::string text;
  SourceLocation where;
};

enum class ExpressionKind : uint8_t { kInteger, kName, kNegate, kAdd, kSubtract, kMultiply, kDivide };

/// Integer arithmetic over parameters; a lone name may also stand for a word (`offchip`) or a node (`IBUF`).
struct Expression {
  ExpressionKind kind = ExpressionKind::kInteger;
  int64_t value = 0;                 ///< of kInteger
  std::string name;                  ///< of kName
  std::vector<Expression> children;  ///< one of kNegate, two of the others
  SourceLocation where;
};

/// `name = value;`
struct AttributeSpec {
  Word name;
  Expression value;
};

/// `(i8,M,N)`
struct OperandSpec {
  Word dtype;
  std::vector<Expression> shape;
};

struct CapabilitySpec {
  Word name;
  OperandSpec output;
  std::vector<OperandSpec> inputs;
  std::vector<AttributeSpec> attributes;
};

struct MemorySpec {
  Word name;
  std::vector<AttributeSpec> attributes;
};

struct ComputeSpec {
  Word name;
  std::vector<AttributeSpec> attributes;
  std::vector<CapabilitySpec> capabilities;
};

struct EdgeSpec {
  Word from;
  Word to;
  bool both_directions = false;
  std::vector<AttributeSpec> attributes;
};

struct FieldSpec {
  FieldKind kind = FieldKind::kInteger;
  Word name;
  Expression width;            ///< of words stated by opcode and widths
  std::optional<Word> letter;  ///< of words stated by an encoding: the letter of its bits
  bool is_signed = false;
  std::optional<Expression> scale;
  bool is_relative = false;
  bool is_extendable = false;
  std::optional<Expression> reads;   ///< stage
  std::optional<Expression> writes;  ///< stage
  std::optional<Word> operand;
  std::optional<Expression> constant;
  std::vector<Word> values;
  SourceLocation where;
};

struct MnemonicSpec {
  Word name;
  std::optional<Expression> opcode;  ///< missing where an encoding stands
  std::vector<FieldSpec> fields;
  std::optional<Word> does;  ///< "unit.operation"
  std::optional<Word> encoding;
  std::optional<Word> syntax;
  std::optional<std::vector<Expression>> slots;
  std::optional<std::vector<Expression>> blocks;
  std::optional<std::vector<Word>> pipes;
  std::optional<Expression> latency;
};

/// Rules of the packets of a machine that issues several words together.
struct PacketSpec {
  SourceLocation where;
  std::vector<AttributeSpec> attributes;
  std::optional<Word> parse;
  std::optional<std::vector<Word>> pipes;
};

struct PresetSpec {
  Word name;
  std::vector<AttributeSpec> settings;
};

struct ClockSpec {
  double hertz = 0;
  SourceLocation where;
};

struct MachineSpec {
  Word name;
  std::vector<AttributeSpec> parameters;  ///< in the order of the text: a default may use earlier ones
  std::vector<PresetSpec> presets;
  std::optional<Word> default_preset;
  std::optional<ClockSpec> clock;
  std::optional<AttributeSpec> word;
  std::optional<AttributeSpec> opcode;
  std::optional<PacketSpec> packet;
  std::vector<MemorySpec> memories;
  std::vector<ComputeSpec> computes;
  std::vector<EdgeSpec> edges;
  std::vector<MnemonicSpec> mnemonics;
};

}  // namespace covenant::acg::lang
