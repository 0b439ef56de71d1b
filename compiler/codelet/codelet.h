/// Codelets: the compiler's operator-level IR (Kinzer et al., "Restoring the Broken Covenant...", section 3).
///
/// A codelet has surrogate variables (`inp out param local`) and nested operations (`loop transfer compute`). The same
/// type serves every stage: bound, placed, mapped, tiled, buffered. Grammar and meaning: docs/reference/codelets.md. It
/// is a value type; print (`print.h`) and parse (`parse.h`) are inverses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/base/dtype.h"
#include "compiler/codelet/expression.h"

namespace covenant::compiler::codelet {

/// A typed scalar in the text: `i32(0)`, `f32(0x1.8p-3)` (f32 are printed as hexadecimal floats, which are exact). Or a
/// table of bytes: `i8("00ff...")`, two digits for each.
struct Constant {
  DType dtype = DType::kI32;
  int64_t integer = 0;           ///< value for integer types
  float real = 0;                ///< value for f32
  std::vector<uint8_t> table{};  ///< bytes of the entries of a table of i8, u8 or f32
  bool operator==(const Constant&) const = default;
};

enum class SurrogateKind : uint8_t { kInp, kOut, kParam, kLocal };

/// A variable that stands for a tensor or number: `x=inp([N,IH,IW,IC],u8,"DRAM",fill=3);`. Reads of `x` outside its
/// shape give `fill`.
struct Surrogate {
  SurrogateKind kind = SurrogateKind::kInp;
  std::string name;
  std::vector<Expression> shape;  ///< outermost dimension first; empty for params
  std::optional<DType> dtype;     ///< null until bound
  std::string location;           ///< memory of the machine; empty: null
  Expression fill;
  bool has_fill = false;          ///< `fill` is written in the text: reads outside are intended, even if it is 0
  std::optional<Constant> value;  ///< value of a bound param
  /// Set by the pass `pack` for constants: element [p0, p1, ...] of `shape` holds element `packing` (one expression
  /// over p0, p1, ... per logical dimension) of the original constant, whose shape was `logical_shape`; 0 outside of
  /// it.
  std::vector<Expression> packing;
  std::vector<int64_t> logical_shape;
  /// For an `inp` or `out` that is a view: distance in elements of memory between indices, one per dimension. Elements
  /// of an `inp` may overlap. Empty: dense, row-major.
  std::vector<Expression> strides;
  Expression offset{};  ///< for a view: elements of memory before element [0, 0, ...]
  SourceLocation where;
  bool operator==(const Surrogate& other) const;  ///< ignores `where`
};

/// True if reads outside of the surrogate's shape are intended, that is, if it gives a fill value.
bool reads_outside(const Surrogate& surrogate);

/// A surrogate at an element offset: `x[n, oh*2+kh-1, ow*2+kw-1, ic]`. Without indices it refers to the whole tensor.
struct Reference {
  std::string surrogate;
  std::vector<Expression> indices;
  SourceLocation where{};
  bool mentions(const std::string& variable) const;  ///< true if an index contains it
  bool operator==(const Reference& other) const;     ///< ignores `where`
};

struct Operation;

/// `loop v(lo,hi,stride) { ... }`: v = lo, lo+stride, ... below hi. `loop v(n)` is (0,n,1), `loop v(n, stride=s)` is
/// (0,n,s); a `level=1` at the end makes it a tile loop of that level.
struct Loop {
  std::string variable;
  Expression lower;
  Expression upper;
  Expression stride;
  std::vector<Operation> body;
  /// For a tile loop, between `strip_mine` and `insert_transfers`: each iteration works on one tile in the memories
  /// that are this many edges away from off-chip memory. 0: the loop runs within the smallest tiles.
  uint32_t level = 0;
  bool operator==(const Loop&) const;
};

/// The three forms of section 3.2:
///   dst=transfer(src[i],"LOC",[n]);   copy into a new local at LOC      (source Reference, destination empty)
///   dst=transfer(i16(0),"LOC",[n]);   allocate a new local at LOC       (source Constant; undefined but for its type
///                                     when every element is written before it is read)
///   transfer(src,dst[i],[n]);         copy into an existing surrogate   (destination set)
/// Elements of the source outside its shape give its fill; elements outside the destination are dropped.
struct Transfer {
  std::string local;  ///< name of the new local; empty in the third form
  std::variant<Reference, Constant> source;
  std::optional<Reference> destination;
  std::string location;           ///< memory of the new local
  std::vector<Expression> shape;  ///< elements per dimension
  // Set by the pass `double_buffer`: place of the new local within one buffer of its memory.
  std::optional<uint32_t> slot;    ///< channel of the memory
  std::optional<uint64_t> offset;  ///< first unit within a buffer
  bool operator==(const Transfer&) const = default;
};

/// `c[i]=compute(loc,"CAPABILITY",op1[i],op2[i],...,attribute=expression);` With a location, each operand is a vector
/// (or matrix) of the shape in the matched capability, along the operand's last dimensions; elements past the end of a
/// surrogate read as 0 and are dropped when written. Without one, operands are scalars. GEMM, REDUCE_SUM and REDUCE_MAX
/// accumulate over their reduction loops: the loops around the compute, inside the scope of the destination, whose
/// variables do not index it. GEMM starts from its third operand, REDUCE_SUM from 0.
struct Compute {
  Reference destination;
  std::string location;  ///< compute node of the machine; empty: null
  std::string capability;
  std::vector<std::variant<Reference, Constant>>
      operands;                                  ///< a bare param name is a Reference without indices until bound
  std::map<std::string, Expression> attributes;  ///< REQUANT*: lowest, highest; REQUANT also zero_point
  bool operator==(const Compute&) const = default;
};

struct Operation {
  std::variant<Loop, Transfer, Compute> op;
  SourceLocation where;
  bool operator==(const Operation& other) const { return op == other.op; }
};

inline bool Loop::operator==(const Loop&) const = default;

struct Codelet {
  std::string name;
  /// The ONNX operator that this codelet implements (`cdlt total implements "Sum" {`), with inputs and outputs in its
  /// order; or empty.
  std::string implements{};
  SourceLocation where{};
  std::vector<Surrogate> surrogates;  ///< params, inputs, outputs, and untiled locals, as declared
  std::vector<Operation> body;
  bool operator==(const Codelet& other) const;  ///< ignores `where`
};

}  // namespace covenant::compiler::codelet
