// Execute stages of a SIMD array after its arithmetic, and the writes of its results
// (docs/reference/units/simd_array.md).
//
// A result computed in cycle t is written in cycle t + `latency_i`, unless it is only passed on to the next iteration
// (`write_i` is 0). The compute word is finished when its last iteration leaves.
module covenant_simd_stages #(
  parameter int unsigned Lanes       = 16,
  parameter int unsigned MaxLatency  = 8,
  parameter int unsigned TypeBits    = covenant_pkg::TypeBits,  // do not override
  parameter int unsigned VectorBytes = Lanes * 4                // do not override
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // The compute word.
  input  logic                     is_compute_i,
  input  logic [31:0]              latency_i,         // 0: the machine has no capability for it
  input  logic [31:0]              dst_memory_i,
  input  logic [TypeBits-2:0]      dst_width_i,       // type of its elements, signed or not
  // An iteration whose result is there.
  input  logic                     valid_i,
  input  logic                     last_i,            // last of the nest
  input  logic                     write_i,           // its result is complete
  input  logic [31:0]              element_i,
  input  logic [1:0]               byte_offset_i,
  input  logic [VectorBytes*8-1:0] result_i,
  output logic                     finished_o,
  output logic                     fault_o,           // latency that the array does not have
  // Destination: write port of the named memory.
  output logic                     write_valid_o,
  output logic [31:0]              write_memory_o,
  output logic [31:0]              write_element_o,
  output logic [VectorBytes*8-1:0] write_data_o,
  output logic [VectorBytes-1:0]   write_strobe_o
);

  localparam int unsigned HalfLanes  = Lanes > 1 ? Lanes / 2 : 1;  // bytes of a vector of 4-bit elements
  localparam int unsigned StageWidth = MaxLatency > 1 ? $clog2(MaxLatency) : 1;

  // Stage s holds what was computed s + 1 cycles ago.
  logic [MaxLatency-1:0]    stage_valid_q, stage_valid_d, stage_last_q, stage_last_d, stage_write_q, stage_write_d;
  logic [VectorBytes*8-1:0] stage_result [MaxLatency];
  logic [31:0]              stage_element [MaxLatency];
  logic [1:0]               stage_offset [MaxLatency];

  if (MaxLatency == 1) begin : gen_one_stage
    assign stage_valid_d = valid_i;
    assign stage_last_d  = last_i;
    assign stage_write_d = write_i;
  end else begin : gen_stages
    assign stage_valid_d = {stage_valid_q[MaxLatency-2:0], valid_i};
    assign stage_last_d  = {stage_last_q[MaxLatency-2:0], last_i};
    assign stage_write_d = {stage_write_q[MaxLatency-2:0], write_i};
  end

  /* verilator lint_off BLKSEQ */
  // One process, from the last stage to the first: every stage still sees what the one before it held.
  always_ff @(posedge clk_i) begin
    if (|stage_valid_d) begin
      for (int unsigned s = MaxLatency - 1; s >= 1; s--) begin
        stage_result[s]  = stage_result[s-1];
        stage_element[s] = stage_element[s-1];
        stage_offset[s]  = stage_offset[s-1];
      end
      stage_result[0]  = result_i;
      stage_element[0] = element_i;
      stage_offset[0]  = byte_offset_i;
    end
  end
  /* verilator lint_on BLKSEQ */

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stage_valid_q <= '0;
      stage_last_q  <= '0;
      stage_write_q <= '0;
    end else if (is_compute_i) begin
      stage_valid_q <= finished_o ? '0 : stage_valid_d;
      stage_last_q  <= finished_o ? '0 : stage_last_d;
      stage_write_q <= finished_o ? '0 : stage_write_d;
    end
  end

  // Destination: the stage that the latency names.
  logic [StageWidth-1:0]  tap;
  logic [VectorBytes-1:0] strobe;
  always_comb begin
    tap             = '0;
    finished_o      = 1'b0;
    fault_o         = 1'b0;
    strobe          = '0;
    write_valid_o   = 1'b0;
    write_memory_o  = '0;
    write_element_o = '0;
    write_data_o    = '0;
    write_strobe_o  = '0;
    if (is_compute_i) begin
      tap            = StageWidth'(latency_i - 32'd1);
      fault_o        = (latency_i == 32'd0) || (latency_i > MaxLatency);
      finished_o     = stage_valid_q[tap] && stage_last_q[tap];
      write_valid_o  = stage_valid_q[tap] && stage_write_q[tap];
      write_memory_o = dst_memory_i;
      if (write_valid_o) begin
        strobe = '1;
        if (dst_width_i == (TypeBits-1)'(0)) strobe = VectorBytes'({Lanes{1'b1}});  // i8, u8
        if (covenant_pkg::HasBits16 && (dst_width_i == (TypeBits-1)'(2))) strobe = VectorBytes'({(2*Lanes){1'b1}});
        if (covenant_pkg::HasBits4 && (dst_width_i == (TypeBits-1)'(3))) strobe = VectorBytes'({HalfLanes{1'b1}});
        write_element_o = stage_element[tap];
        write_data_o    = stage_result[tap] << (32'(stage_offset[tap]) * 32'd8);
        write_strobe_o  = strobe << stage_offset[tap];
      end
    end
  end

`ifndef SYNTHESIS
  EndsEmpty_A: assert property (@(posedge clk_i) disable iff (!rst_ni) finished_o |=> !(|stage_valid_q));
  WritesWithinAWord_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (|stage_valid_q) |-> is_compute_i);
`endif

endmodule
