/// Behaviour of a machine that is driven by commands: its state, which command is which instruction, and how each
/// instruction and each process changes the state. One description, read as the definition by the evaluator.
///
/// Numbers are exact: every expression has a range that is known from the text, and a value goes into a state only if
/// its type holds that range, or through `wrap` or `saturate`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/behaviour/code.h"
#include "acg/behaviour/intrinsic.h"

namespace covenant::acg::behaviour {

/// `state acc : i32[2048][16] = 0;`, `state dram : u8[4K] off_chip;`, `table slopes : i12[4] = [1, 2, 3, 4];`
struct State {
  std::string name;
  Type type;
  bool has_initial = false;      ///< without one, an element is written before it is read
  std::vector<int64_t> initial;  ///< of the innermost elements, again and again; empty: 0
  bool is_table = false;         ///< never written; its elements' range is that of `initial`
  SourceLocation where;
  bool is_off_chip = false;  ///< bytes that a platform may have elsewhere
};

/// `mode : u3 at 8 = 0;`
struct Member {
  std::string name;
  Type type;
  int64_t at = 0;  ///< lowest bit
  bool has_initial = false;
  std::vector<int64_t> initial;  ///< as that of a state

  int64_t end() const { return at + type.bits * type.elements(); }
};

/// `record Setup { is_valid : bool at 0; mode : u3 at 8; }`: bits of a register or of a word. A state of this type is a
/// state for each member, `setup.mode`; so is a field.
struct Record {
  std::string name;
  std::vector<Member> members;
  SourceLocation where;
};

/// `queue loads : u8[16] { depth = 4; }`: first in, first out, between two processes.
struct Queue {
  std::string name;
  Type type;
  int64_t depth = 1;
  SourceLocation where;
};

/// `port bus { address = 32; data = 128; }`, which a host drives; `stream words { data = 128; }`, whose words the
/// machine executes.
struct Port {
  std::string name;
  int64_t address_bits = 0;
  int64_t data_bits = 0;
  bool is_stream = false;
  SourceLocation where;
};

/// A statement as text: `for y in 0..rows - 1`, `step, 3 cycles`, `acc[i] = 0`, with the statements inside. Loops are
/// the child instructions of Huang et al., "Instruction-Level Abstraction (ILA)", 2018; `counter` is the range of
/// theirs.
struct Statement {
  std::string text;
  bool is_loop = false;
  Range counter;
  std::vector<Statement> children;
};

/// `function lin(code : u8) : i16 { let ...; return ...; }`
struct Function {
  std::string name;
  std::vector<Variable> arguments;
  Type type;
  std::vector<Code> lets;
  Expression result;
  std::vector<Statement> listing;
  uint32_t slots = 0;  ///< numbers of its frame
  SourceLocation where;
};

/// `format fixed(code : i16, point : u4) { ... }`: a code is `image * 2^exponent`, exactly; `encode` gives the
/// code of a number that counts 2^unit. All three are functions of the behaviour, `fixed.image`, which take the
/// arguments of the format, but `encode` a number where they take a code.
struct Format {
  std::string name;
  std::vector<Variable> arguments;  ///< the code first
  uint32_t image = 0;
  uint32_t exponent = 0;
  uint32_t encode = 0;
  int64_t unit = 0;
  SourceLocation where;
};

/// Bits of a command that lie between two numbers. A command is its data, its address above, a bit on top if it writes.
struct BitTest {
  int64_t at = 0, bits = 0;
  uint64_t low = 0, high = 0;
};

/// `op : u3 at 0;`, of data or of the address.
struct Field {
  Variable variable;
  int64_t at = 0;  ///< lowest bit in the command
};

/// `instruction gemm on words { decode = ...; fields { ... } update { ... } }`
struct Instruction {
  std::string name;
  uint32_t port = 0;
  std::vector<BitTest> decode;
  std::vector<Field> fields;
  std::vector<Code> update;
  std::vector<Statement> listing;  ///< of the update
  uint32_t slots = 0;
  SourceLocation where;
};

/// `process loader { ... }`: its statements again and again, beside those of all others.
struct Process {
  std::string name;
  std::vector<Code> code;
  std::vector<Statement> listing;
  uint32_t slots = 0;
  SourceLocation where;
};

struct Behaviour {
  std::string machine;
  double hertz = 1e9;  ///< what the text does not say is 1 GHz
  std::vector<Port> ports;
  std::vector<Record> records;
  std::vector<State> states;
  std::vector<Queue> queues;
  std::vector<Function> functions;
  std::vector<Format> formats;
  std::vector<Instruction> instructions;
  std::vector<Process> processes;
  std::vector<Intrinsic> intrinsics;
  std::vector<Expression> interrupt;  ///< one, or none: true while the machine asks for its host
  uint32_t interrupt_slots = 0;
};

}  // namespace covenant::acg::behaviour
