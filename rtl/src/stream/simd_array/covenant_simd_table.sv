// The look-up table of a SIMD array (docs/reference/units/simd_array.md): one number of 256 entries, which words set
// part by part. Parts that a block has not set are 0; a part past the end sets nothing.
module covenant_simd_table #(
  parameter int unsigned PartBits = 16,  // bits that one word sets
  parameter int unsigned Bytes    = 256
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,  // a block starts
  input  logic               sets_i,
  input  logic [31:0]        part_i,
  input  logic [31:0]        value_i,
  output logic [Bytes*8-1:0] table_o
);

  localparam int unsigned Bits     = Bytes * 8;
  localparam int unsigned Parts    = (Bits + PartBits - 1) / PartBits;
  localparam int unsigned LastBits = Bits - (Parts - 1) * PartBits;  // bits of the last part, which reaches the end

  logic [Bits-1:0] table_q;
  logic            unused;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      table_q <= '0;
    end else if (clear_i) begin
      table_q <= '0;
    end else if (sets_i) begin
      // Each part knows its number: of a shift over all bits, synthesis makes gates for minutes.
      for (int unsigned part = 0; part < Parts - 1; part++) begin
        if (part_i == part) table_q[part*PartBits +: PartBits] <= PartBits'(value_i);
      end
      if (part_i == Parts - 1) table_q[Bits-1 -: LastBits] <= LastBits'(value_i);
    end
  end

  assign table_o = table_q;
  assign unused  = &{1'b0, value_i};

endmodule
