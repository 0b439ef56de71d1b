// Arithmetic of all lanes of a SIMD array (docs/reference/units/simd_array.md), with the accumulators of reductions.
//
// Sources come as vectors that start at bit 0: bytes for i8 and u8, 32-bit words otherwise. The result leaves in the same
// form combinationally; the pipeline after it is the caller's, and a synthesiser may move its registers in here.
module covenant_simd_lanes #(
  parameter int unsigned Lanes = 16
) (
  input  logic                           clk_i,
  input  logic                           valid_i,
  input  covenant_pkg::operation_t       operation_i,
  input  logic [1:0]                     dst_type_i,       // i8, u8, i32, f32
  input  logic [1:0]                     src1_type_i,
  input  logic [1:0]                     src2_type_i,
  input  logic                           src1_scalar_i,    // broadcast the lowest word
  input  logic                           src2_scalar_i,
  input  logic [Lanes*32-1:0]            src1_i,
  input  logic [Lanes*32-1:0]            src2_i,
  input  logic                           reduction_first_i,
  input  logic                           resumes_i,        // a reduction starts from src2
  input  logic [7:0]                     zero_point_i,
  input  logic [7:0]                     lowest_i,
  input  logic [7:0]                     highest_i,
  input  logic [4*32-1:0]                scalars_i,        // of requant_add and requant_mul
  input  logic [256*8-1:0]               table_i,          // of lookup
  output logic [Lanes*32-1:0]            result_o
);

  localparam logic [1:0] TypeI8 = 2'd0, TypeU8 = 2'd1;

  logic [Lanes*32-1:0] a, b, result;        // elements, extended to 32 bits
  logic [Lanes*32-1:0] accumulator_q, accumulator_d;
  logic [Lanes*32-1:0] reduced;             // what the reduction has come to
  logic                dst_signed, reduces, requants, narrow, adds_up;
  logic signed [15:0]  zero_point, lowest, highest;

  always_comb begin
    dst_signed = 1'b0;
    narrow     = 1'b0;
    zero_point = '0;
    lowest     = '0;
    highest    = '0;
    reduces    = 1'b0;
    requants   = 1'b0;
    if (valid_i) begin
      dst_signed = dst_type_i == TypeI8;
      narrow     = (dst_type_i == TypeI8) || (dst_type_i == TypeU8);
      zero_point = {{8{dst_signed & zero_point_i[7]}}, zero_point_i};
      lowest     = {{8{dst_signed & lowest_i[7]}}, lowest_i};
      highest    = {{8{dst_signed & highest_i[7]}}, highest_i};
      reduces    = (operation_i == covenant_pkg::OpReduceSum) || (operation_i == covenant_pkg::OpReduceMax);
      requants   = (operation_i == covenant_pkg::OpRequant) || (operation_i == covenant_pkg::OpRequantAdd) ||
                   (operation_i == covenant_pkg::OpRequantMul);
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
        end else if (src1_scalar_i) begin
          a[l*32 +: 32] = src1_i[31:0];
        end
        if (src2_type_i == TypeI8) begin
          b[l*32 +: 32] = {{24{src2_scalar_i ? src2_i[7] : src2_i[l*8 + 7]}}, src2_scalar_i ? src2_i[7:0] : src2_i[l*8 +: 8]};
        end else if (src2_type_i == TypeU8) begin
          b[l*32 +: 32] = {24'd0, src2_scalar_i ? src2_i[7:0] : src2_i[l*8 +: 8]};
        end else if (src2_scalar_i) begin
          b[l*32 +: 32] = src2_i[31:0];
        end
      end
    end
  end

  // Requantisation, a module for each lane.
  logic [Lanes*8-1:0] requantised;
  for (genvar l = 0; l < Lanes; l++) begin : gen_requant
    covenant_simd_requant u_requant (
      .valid_i     (requants),
      .adds_i      (operation_i == covenant_pkg::OpRequantAdd),
      .multiplies_i(operation_i == covenant_pkg::OpRequantMul),
      .a_i         (a[l*32 +: 32]),
      .b_i         (b[l*32 +: 32]),
      .scalars_i,
      .zero_point_i(zero_point),
      .lowest_i    (lowest),
      .highest_i   (highest),
      .result_o    (requantised[l*8 +: 8])
    );
  end

  // A reduction goes on with what it has come to, or starts anew.
  assign adds_up = !reduction_first_i || resumes_i;
  assign reduced = (reduction_first_i && resumes_i) ? b : accumulator_q;

  // Operations.
  always_comb begin
    result        = '0;
    accumulator_d = '0;
    if (valid_i) begin
      result = a;
      unique case (operation_i)
        covenant_pkg::OpAdd: begin
          for (int unsigned l = 0; l < Lanes; l++) result[l*32 +: 32] = a[l*32 +: 32] + b[l*32 +: 32];
        end
        covenant_pkg::OpSub: begin
          for (int unsigned l = 0; l < Lanes; l++) result[l*32 +: 32] = a[l*32 +: 32] - b[l*32 +: 32];
        end
        covenant_pkg::OpMul: begin
          for (int unsigned l = 0; l < Lanes; l++) result[l*32 +: 32] = a[l*32 +: 32] * b[l*32 +: 32];
        end
        covenant_pkg::OpMax: begin
          for (int unsigned l = 0; l < Lanes; l++) begin
            if ($signed(b[l*32 +: 32]) > $signed(a[l*32 +: 32])) result[l*32 +: 32] = b[l*32 +: 32];
          end
        end
        covenant_pkg::OpMin: begin
          for (int unsigned l = 0; l < Lanes; l++) begin
            if ($signed(b[l*32 +: 32]) < $signed(a[l*32 +: 32])) result[l*32 +: 32] = b[l*32 +: 32];
          end
        end
        covenant_pkg::OpLookup: begin
          for (int unsigned l = 0; l < Lanes; l++) result[l*32 +: 32] = {24'd0, table_i[{a[l*32 +: 8], 3'd0} +: 8]};
        end
        covenant_pkg::OpRequant, covenant_pkg::OpRequantAdd, covenant_pkg::OpRequantMul: begin
          for (int unsigned l = 0; l < Lanes; l++) result[l*32 +: 32] = {24'd0, requantised[l*8 +: 8]};
        end
        covenant_pkg::OpReduceSum: begin
          for (int unsigned l = 0; l < Lanes; l++) begin
            if (adds_up) result[l*32 +: 32] = reduced[l*32 +: 32] + a[l*32 +: 32];
          end
          accumulator_d = result;
        end
        covenant_pkg::OpReduceMax: begin
          for (int unsigned l = 0; l < Lanes; l++) begin
            if (adds_up && ($signed(reduced[l*32 +: 32]) > $signed(a[l*32 +: 32]))) begin
              result[l*32 +: 32] = reduced[l*32 +: 32];
            end
          end
          accumulator_d = result;
        end
        default: ;  // move
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (reduces) accumulator_q <= accumulator_d;
  end

  // Back to a vector.
  always_comb begin
    result_o = '0;
    if (valid_i && narrow) begin
      for (int unsigned l = 0; l < Lanes; l++) result_o[l*8 +: 8] = result[l*32 +: 8];
    end else if (valid_i) begin
      result_o = result;
    end
  end

endmodule
