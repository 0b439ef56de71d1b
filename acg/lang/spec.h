/// The content of an `.acg` file before its parameters are resolved: the first of two steps from text to Machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/encoding/mnemonic.h"
#include "acg/lang/expression.h"
#include "acg/lang/lexer.h"

namespace covenant::acg::lang {

/// `name = value;`
struct AttributeSpec {
  Word name;
  Expression value;
};

/// `param M : int in 1..1024 = 16;`, `option M = 16;`, `param requant : name in [fp32, fixed] = fp32;`
struct ParameterSpec {
  Word name;
  Expression value;
  bool is_boolean = false;
  bool is_option = false;  ///< the machine does not list it while it has its default
  bool is_name = false;    ///< its value is one of the names among its choices
  std::optional<Expression> lowest, highest;
  std::vector<Expression> choices;
};

/// `port weights in { width = 64; }`
struct PortSpec {
  Word name;
  Word direction;
  std::vector<AttributeSpec> attributes;
};

/// `dtype f8e4m3 { bits = 8; }`
struct DTypeSpec {
  Word name;
  std::vector<AttributeSpec> attributes;
};

/// `(i8,M,N)`, `(fixed(8,8),N)`
struct OperandSpec {
  Word dtype;
  std::vector<Expression> format;  ///< integer bits and fraction bits of `fixed`
  std::vector<Expression> shape;
};

struct CapabilitySpec {
  Word name;
  OperandSpec output;
  std::vector<OperandSpec> inputs;
  std::vector<AttributeSpec> attributes;
};

struct MemorySpec {
  Word name;  ///< qualified by the names of the nodes around it
  std::vector<AttributeSpec> attributes;
  std::vector<PortSpec> ports;
};

struct ComputeSpec {
  Word name;  ///< qualified by the names of the nodes around it
  std::vector<AttributeSpec> attributes;
  std::vector<PortSpec> ports;
  std::vector<CapabilitySpec> capabilities;
};

/// Ends are nodes or ports of nodes: `SIMD.LANE0.a`.
struct EdgeSpec {
  Word from;
  Word to;
  std::string scope;  ///< the node around the statement; its inner nodes are looked up first
  bool both_directions = false;
  std::vector<AttributeSpec> attributes;
};

struct FieldSpec {
  FieldKind kind = FieldKind::kInteger;
  Word name;
  Expression width;            ///< for words that are defined by opcode and widths
  std::optional<Word> letter;  ///< for words that are defined by an encoding: the letter of its bits
  bool is_signed = false;
  std::optional<Expression> scale;
  std::optional<Expression> top;
  bool is_relative = false;
  bool is_extendable = false;
  std::optional<Expression> reads;   ///< pipeline stage
  std::optional<Expression> writes;  ///< pipeline stage
  std::optional<Word> operand;
  std::optional<Expression> constant;  ///< value of constants and fixed operands
  std::vector<Word> values;
  SourceLocation where;
};

struct MnemonicSpec {
  Word name;
  std::optional<Expression> opcode;  ///< missing if there is an encoding
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
  std::vector<ParameterSpec> parameters;  ///< in the order of the text: a default may use earlier parameters
  std::vector<PresetSpec> presets;
  std::optional<Word> default_preset;
  std::optional<ClockSpec> clock;
  std::optional<AttributeSpec> word, opcode;
  std::optional<PacketSpec> packet;
  std::vector<MemorySpec> memories;
  std::vector<ComputeSpec> computes;
  std::vector<EdgeSpec> edges;
  std::vector<MnemonicSpec> mnemonics;
  std::vector<DTypeSpec> dtypes;
  bool has_behaviour = false;      ///< statements that acg/behaviour reads
  bool has_loops = false;          ///< the lists above lack what loops declare: see `expand`
  std::vector<LexedToken> tokens;  ///< the text with included files
  LexedText document;              ///< the text as it was written, for printing
};

}  // namespace covenant::acg::lang
