// Settings for the nests of a SIMD array (docs/reference/units/simd_array.md): immediates, the table of lookups,
// element types and quantisation. A setting that a block has not written reads 0.
module covenant_simd_settings #(
  parameter int unsigned TypeBits    = covenant_pkg::TypeBits,     // do not override
  parameter int unsigned ElementBits = covenant_pkg::ElementBits,  // do not override
  parameter int unsigned TableBytes  = covenant_pkg::TableBytes    // do not override
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,           // a block starts
  // Configuration words.
  input  logic                     configures_i,
  input  covenant_pkg::operation_t operation_i,
  input  logic [covenant_pkg::WordWidth-1:0] word_i,
  output logic                     accepts_o,         // it is one of these
  // For compute words.
  output logic [3*TypeBits-1:0]    types_o,           // src2, src1, dst
  output logic [ElementBits-1:0]   zero_point_o,
  output logic [ElementBits-1:0]   lowest_o,
  output logic [ElementBits-1:0]   highest_o,
  output logic [TableBytes*8-1:0]  table_o,
  input  logic                     reads_i,           // the immediates of these slots, and the first ones
  input  logic [4:0]               src1_slot_i,
  input  logic [4:0]               src2_slot_i,
  output logic [31:0]              src1_immediate_o,
  output logic [31:0]              src2_immediate_o,
  output logic [4*32-1:0]          scalars_o
);

  localparam int unsigned Entries = 32;  // immediates

  // Words.
  logic is_types, is_quantization, is_quantization_high, is_immediate, sets_immediate, sets_table;

  always_comb begin
    is_types             = 1'b0;
    is_quantization      = 1'b0;
    is_quantization_high = 1'b0;
    is_immediate         = 1'b0;
    sets_immediate       = 1'b0;
    sets_table           = 1'b0;
    accepts_o            = 1'b0;
    if (configures_i) begin
      is_types             = operation_i == covenant_pkg::OpTypes;
      is_quantization      = operation_i == covenant_pkg::OpQuantization;
      is_quantization_high = covenant_pkg::HasQuantizationHigh && (operation_i == covenant_pkg::OpQuantizationHigh);
      is_immediate         = operation_i == covenant_pkg::OpImmediateLow;
      sets_immediate       = is_immediate || (operation_i == covenant_pkg::OpImmediateHigh);
      sets_table           = operation_i == covenant_pkg::OpTable;
      accepts_o            = is_types || is_quantization || is_quantization_high || sets_immediate || sets_table;
    end
  end

  // Immediates.
  logic [31:0]        immediate_table [Entries];
  logic [Entries-1:0] immediate_set_q;
  logic [4:0]         slot;
  logic [31:0]        part, immediate_d;

  always_comb begin
    slot        = '0;
    part        = '0;
    immediate_d = '0;
    if (sets_immediate) begin
      slot        = 5'(covenant_pkg::operand_slot(word_i));
      part        = is_immediate ? 32'd0 : covenant_pkg::operand_part(word_i) + 32'd1;
      immediate_d = covenant_pkg::with_part(immediate_set_q[slot] ? immediate_table[slot] : 32'd0, part,
                                            covenant_pkg::ImmediatePart, covenant_pkg::operand_value(word_i), 1'b0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (sets_immediate) immediate_table[slot] <= immediate_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      immediate_set_q <= '0;
    end else if (clear_i) begin
      immediate_set_q <= '0;
    end else if (sets_immediate) begin
      immediate_set_q[slot] <= 1'b1;
    end
  end

  always_comb begin
    src1_immediate_o = '0;
    src2_immediate_o = '0;
    scalars_o        = '0;
    if (reads_i) begin
      src1_immediate_o = immediate_set_q[src1_slot_i] ? immediate_table[src1_slot_i] : 32'd0;
      src2_immediate_o = immediate_set_q[src2_slot_i] ? immediate_table[src2_slot_i] : 32'd0;
      for (int unsigned i = 0; i < 4; i++) begin
        scalars_o[i*32 +: 32] = immediate_set_q[i] ? immediate_table[i] : 32'd0;
      end
    end
  end

  if (covenant_pkg::HasTable) begin : gen_table
    covenant_simd_table #(
      .PartBits(covenant_pkg::TablePart),
      .Bytes   (TableBytes)
    ) u_table (
      .clk_i,
      .rst_ni,
      .clear_i,
      .sets_i (sets_table),
      .part_i (covenant_pkg::operand_index(word_i)),
      .value_i(covenant_pkg::operand_value(word_i)),
      .table_o
    );
  end else begin : gen_no_table
    assign table_o = '0;
  end

  // Types and quantisation.
  logic [3*TypeBits-1:0]  types_q;
  logic [ElementBits-1:0] zero_point_q, lowest_q, highest_q;

  // A number of a quantisation with one part of it set.
  function automatic logic [ElementBits-1:0] quantization_with(input logic [ElementBits-1:0] old, input logic high,
                                                               input logic [31:0] value);
    quantization_with = ElementBits'(covenant_pkg::with_part(32'(old), 32'(high), covenant_pkg::QuantizationPart, value,
                                                             1'b0));
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      types_q      <= '0;
      zero_point_q <= '0;
      lowest_q     <= '0;
      highest_q    <= '0;
    end else if (clear_i) begin
      types_q      <= '0;
      zero_point_q <= '0;
      lowest_q     <= '0;
      highest_q    <= '0;
    end else if (is_types) begin
      types_q <= {TypeBits'(covenant_pkg::operand_src2(word_i)), TypeBits'(covenant_pkg::operand_src1(word_i)),
                  TypeBits'(covenant_pkg::operand_dst(word_i))};
    end else if (is_quantization || is_quantization_high) begin
      zero_point_q <= quantization_with(zero_point_q, is_quantization_high, covenant_pkg::operand_zero_point(word_i));
      lowest_q     <= quantization_with(lowest_q, is_quantization_high, covenant_pkg::operand_lowest(word_i));
      highest_q    <= quantization_with(highest_q, is_quantization_high, covenant_pkg::operand_highest(word_i));
    end
  end
  assign types_o      = types_q;
  assign zero_point_o = zero_point_q;
  assign lowest_o     = lowest_q;
  assign highest_o    = highest_q;

endmodule
