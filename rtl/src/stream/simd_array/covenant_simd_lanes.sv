// Arithmetic of all lanes of a SIMD array (docs/reference/units/simd_array.md), with the accumulators of reductions.
//
// Sources are vectors of packed elements that start at bit 0. The result leaves in the same form, combinationally; the
// pipeline after it belongs to the parent module, and a synthesiser may move its registers in here.
module covenant_simd_lanes #(
  parameter int unsigned Lanes      = 16,
  parameter int unsigned TableBytes = 256,  // entries of a byte, or of f32
  parameter int unsigned TableEntries = 256
) (
  input  logic                           clk_i,
  input  logic                           valid_i,
  input  covenant_pkg::operation_t       operation_i,
  input  logic [covenant_pkg::TypeBits-1:0] dst_type_i,    // acg::SimdType
  input  logic [covenant_pkg::TypeBits-1:0] src1_type_i,
  input  logic [covenant_pkg::TypeBits-1:0] src2_type_i,
  input  logic                           src1_scalar_i,    // broadcast the lowest word
  input  logic                           src2_scalar_i,
  input  logic [Lanes*32-1:0]            src1_i,
  input  logic [Lanes*32-1:0]            src2_i,
  input  logic                           reduction_first_i,
  input  logic                           resumes_i,        // a reduction starts from src2
  input  logic [covenant_pkg::ElementBits-1:0] zero_point_i,
  input  logic [covenant_pkg::ElementBits-1:0] lowest_i,
  input  logic [covenant_pkg::ElementBits-1:0] highest_i,
  input  logic [4*32-1:0]                scalars_i,        // the first immediates
  input  logic [TableBytes*8-1:0]        table_i,          // for lookup
  output logic [Lanes*32-1:0]            result_o
);

  localparam int unsigned TypeBits    = covenant_pkg::TypeBits;
  localparam int unsigned ElementBits = covenant_pkg::ElementBits;
  localparam int unsigned EntryBits   = $clog2(TableEntries);
  // Without elements of 4 or 16 bits there are no codes of theirs.
  localparam logic [TypeBits-1:0] TypeI8 = TypeBits'(0), TypeU8 = TypeBits'(1), TypeF32 = TypeBits'(3);
  localparam logic [TypeBits-1:0] TypeI16 = TypeBits'(4), TypeU16 = TypeBits'(5), TypeI4 = TypeBits'(6), TypeU4 = TypeBits'(7);
  localparam bit Has16 = covenant_pkg::HasBits16, Has4 = covenant_pkg::HasBits4;

  // A quantised element's bits as a number: cut to those of its type, extended.
  function automatic logic signed [17:0] number_of(input logic [TypeBits-1:0] kind,
                                                   input logic [ElementBits-1:0] element);
    number_of = 18'($signed({(kind == TypeI8) & element[7], element[7:0]}));
    if (Has16 && ((kind == TypeI16) || (kind == TypeU16))) begin
      number_of = 18'($signed({(kind == TypeI16) & element[ElementBits-1], element}));
    end
    if (Has4 && ((kind == TypeI4) || (kind == TypeU4))) begin
      number_of = 18'($signed({(kind == TypeI4) & element[3], element[3:0]}));
    end
  endfunction

  logic [Lanes*32-1:0] a, b, result;        // elements, extended to 32 bits
  logic [Lanes*32-1:0] accumulator_q;
  logic [Lanes*32-1:0] reduced;             // intermediate result of the reduction
  logic                reduces, requants, fixes, narrow, adds_up, real_result, in_f32;
  logic signed [17:0]  zero_point, lowest, highest;

  always_comb begin
    narrow     = 1'b0;
    zero_point = '0;
    lowest     = '0;
    highest    = '0;
    reduces    = 1'b0;
    requants   = 1'b0;
    fixes      = 1'b0;
    real_result = 1'b0;
    in_f32     = 1'b0;
    if (valid_i) begin
      real_result = dst_type_i == TypeF32;
      in_f32     = real_result || (operation_i == covenant_pkg::OpQuantize);
      narrow     = (dst_type_i == TypeI8) || (dst_type_i == TypeU8);
      zero_point = number_of(dst_type_i, zero_point_i);
      lowest     = number_of(dst_type_i, lowest_i);
      highest    = number_of(dst_type_i, highest_i);
      reduces    = covenant_pkg::is_simd_reduction(operation_i);
      requants   = (operation_i == covenant_pkg::OpRequant) || (operation_i == covenant_pkg::OpRequantAdd) ||
                   (operation_i == covenant_pkg::OpRequantMul) || (operation_i == covenant_pkg::OpQuantize);
      fixes      = covenant_pkg::HasFixedPoint && covenant_pkg::is_simd_fixed(operation_i);
    end
  end

  // Elements of the sources.
  always_comb begin
    a = '0;
    b = '0;
    if (valid_i) begin
      a = src1_i;
      b = src2_i;
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (src1_type_i == TypeI8) begin
          a[l*32 +: 32] = {{24{src1_scalar_i ? src1_i[7] : src1_i[l*8 + 7]}}, src1_scalar_i ? src1_i[7:0] : src1_i[l*8 +: 8]};
        end else if (src1_type_i == TypeU8) begin
          a[l*32 +: 32] = {24'd0, src1_scalar_i ? src1_i[7:0] : src1_i[l*8 +: 8]};
        end else if (Has16 && ((src1_type_i == TypeI16) || (src1_type_i == TypeU16))) begin
          a[l*32 +: 32] = {16'd0, src1_scalar_i ? src1_i[15:0] : src1_i[l*16 +: 16]};
          if (src1_type_i == TypeI16) a[l*32 + 16 +: 16] = {16{a[l*32 + 15]}};
        end else if (Has4 && ((src1_type_i == TypeI4) || (src1_type_i == TypeU4))) begin
          a[l*32 +: 32] = {28'd0, src1_scalar_i ? src1_i[3:0] : src1_i[l*4 +: 4]};
          if (src1_type_i == TypeI4) a[l*32 + 4 +: 28] = {28{a[l*32 + 3]}};
        end else if (src1_scalar_i) begin
          a[l*32 +: 32] = src1_i[31:0];
        end
        if (src2_type_i == TypeI8) begin
          b[l*32 +: 32] = {{24{src2_scalar_i ? src2_i[7] : src2_i[l*8 + 7]}}, src2_scalar_i ? src2_i[7:0] : src2_i[l*8 +: 8]};
        end else if (src2_type_i == TypeU8) begin
          b[l*32 +: 32] = {24'd0, src2_scalar_i ? src2_i[7:0] : src2_i[l*8 +: 8]};
        end else if (Has16 && ((src2_type_i == TypeI16) || (src2_type_i == TypeU16))) begin
          b[l*32 +: 32] = {16'd0, src2_scalar_i ? src2_i[15:0] : src2_i[l*16 +: 16]};
          if (src2_type_i == TypeI16) b[l*32 + 16 +: 16] = {16{b[l*32 + 15]}};
        end else if (Has4 && ((src2_type_i == TypeI4) || (src2_type_i == TypeU4))) begin
          b[l*32 +: 32] = {28'd0, src2_scalar_i ? src2_i[3:0] : src2_i[l*4 +: 4]};
          if (src2_type_i == TypeI4) b[l*32 + 4 +: 28] = {28{b[l*32 + 3]}};
        end else if (src2_scalar_i) begin
          b[l*32 +: 32] = src2_i[31:0];
        end
      end
    end
  end

  // A lane's arithmetic consists of separate modules.
  logic [Lanes*32-1:0] integers, real_numbers, looked_up;
  logic [Lanes*ElementBits-1:0] requantized, fixed;
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    covenant_simd_integer u_integer (
      .operation_i,
      .a_i      (a[l*32 +: 32]),
      .b_i      (b[l*32 +: 32]),
      .adds_up_i(adds_up),
      .before_i (reduced[l*32 +: 32]),
      .result_o (integers[l*32 +: 32])
    );
    covenant_simd_f32 u_f32 (
      .valid_i       (in_f32),
      .operation_i,
      .from_integer_i(src1_type_i != TypeF32),
      .a_i           (a[l*32 +: 32]),
      .b_i           (b[l*32 +: 32]),
      .scale_i       (scalars_i[31:0]),
      .zero_i        (scalars_i[63:32]),
      .offset_i      (scalars_i[31:0]),
      .adds_up_i     (adds_up),
      .before_i      (reduced[l*32 +: 32]),
      .result_o      (real_numbers[l*32 +: 32])
    );
    covenant_simd_requant #(
      .ElementBits(ElementBits)
    ) u_requant (
      .valid_i     (requants),
      .adds_i      (operation_i == covenant_pkg::OpRequantAdd),
      .multiplies_i(operation_i == covenant_pkg::OpRequantMul),
      .rounds_i    (operation_i == covenant_pkg::OpQuantize),
      .a_i         (operation_i == covenant_pkg::OpQuantize ? real_numbers[l*32 +: 32] : a[l*32 +: 32]),
      .b_i         (b[l*32 +: 32]),
      .scalars_i,
      .zero_point_i(zero_point),
      .lowest_i    (lowest),
      .highest_i   (highest),
      .result_o    (requantized[l*ElementBits +: ElementBits])
    );
    covenant_simd_lookup #(
      .TableBytes  (TableBytes),
      .TableEntries(TableEntries)
    ) u_lookup (
      .valid_i (looks_up),
      .is_f32_i(real_result),
      .entry_i (entry[l*EntryBits +: EntryBits]),
      .table_i,
      .result_o(looked_up[l*32 +: 32])
    );
    if (covenant_pkg::HasFixedPoint) begin : gen_fixed
      covenant_simd_fixed #(
        .ElementBits(ElementBits),
        .HalfAway   (covenant_pkg::RoundsHalfAway)
      ) u_fixed (
        .valid_i     (fixes),
        .adds_i      (operation_i == covenant_pkg::OpRequantAddFixed),
        .multiplies_i(operation_i == covenant_pkg::OpRequantMulFixed),
        .a_i         (a[l*32 +: 32]),
        .b_i         (b[l*32 +: 32]),
        .scalars_i,
        .zero_point_i(zero_point),
        .lowest_i    (lowest),
        .highest_i   (highest),
        .result_o    (fixed[l*ElementBits +: ElementBits])
      );
    end else begin : gen_no_fixed
      assign fixed[l*ElementBits +: ElementBits] = '0;
    end
  end

  // A reduction continues with its intermediate result, or starts anew.
  assign adds_up = !reduction_first_i || resumes_i;
  assign reduced = (reduction_first_i && resumes_i) ? b : accumulator_q;

  // The table entry that a lane reads.
  logic [Lanes*EntryBits-1:0] entry;
  logic                       looks_up;

  assign looks_up = valid_i && (operation_i == covenant_pkg::OpLookup);

  always_comb begin
    entry = '0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      entry[l*EntryBits +: EntryBits] = a[l*32 +: EntryBits];
      if (Has4 && ((src1_type_i == TypeI4) || (src1_type_i == TypeU4))) begin
        entry[l*EntryBits +: EntryBits] = EntryBits'(a[l*32 +: 4]);
      end
    end
  end

  // Selects the result.
  always_comb begin
    result = '0;
    if (looks_up) begin
      result = looked_up;
    end else if (real_result) begin
      result = real_numbers;
    end else if (requants) begin
      for (int unsigned l = 0; l < Lanes; l++) result[l*32 +: 32] = 32'(requantized[l*ElementBits +: ElementBits]);
    end else if (fixes) begin
      for (int unsigned l = 0; l < Lanes; l++) result[l*32 +: 32] = 32'(fixed[l*ElementBits +: ElementBits]);
    end else if (valid_i) begin
      result = integers;
    end
  end

  always_ff @(posedge clk_i) begin
    if (reduces) accumulator_q <= result;
  end

  // Back to a vector.
  always_comb begin
    result_o = '0;
    if (valid_i && narrow) begin
      for (int unsigned l = 0; l < Lanes; l++) result_o[l*8 +: 8] = result[l*32 +: 8];
    end else if (Has16 && valid_i && ((dst_type_i == TypeI16) || (dst_type_i == TypeU16))) begin
      for (int unsigned l = 0; l < Lanes; l++) result_o[l*16 +: 16] = result[l*32 +: 16];
    end else if (Has4 && valid_i && ((dst_type_i == TypeI4) || (dst_type_i == TypeU4))) begin
      for (int unsigned l = 0; l < Lanes; l++) result_o[l*4 +: 4] = result[l*32 +: 4];
    end else if (valid_i) begin
      result_o = result;
    end
  end

endmodule
