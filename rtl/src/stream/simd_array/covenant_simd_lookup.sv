// Table look-up in one lane of a SIMD array (docs/reference/units/simd_array.md): an entry is a byte or an f32.
module covenant_simd_lookup #(
  parameter  int unsigned TableBytes   = 256,
  parameter  int unsigned TableEntries = 256,
  localparam int unsigned EntryBits    = $clog2(TableEntries)
) (
  input  logic                    valid_i,
  input  logic                    is_f32_i,
  input  logic [EntryBits-1:0]    entry_i,
  input  logic [TableBytes*8-1:0] table_i,
  output logic [31:0]             result_o
);

  if (TableBytes > TableEntries) begin : gen_wide_table
    always_comb begin
      result_o = '0;
      if (valid_i) begin
        result_o = is_f32_i ? table_i[{entry_i, 5'd0} +: 32] : {24'd0, table_i[{2'd0, entry_i, 3'd0} +: 8]};
      end
    end
  end else begin : gen_byte_table
    logic unused;
    assign unused = is_f32_i;
    always_comb begin
      result_o = '0;
      if (valid_i) result_o[7:0] = table_i[{entry_i, 3'd0} +: 8];
    end
  end

endmodule
