// Observer of a covenant_sequencer: the contents of retire records of one engine's words. It drives nothing; simulators
// bind it, synthesisers never see it.
module covenant_observe_sequencer (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        moves_i,      // another word comes next, or none:
  input  logic        next_i,       // one does
  input  logic        is_wait_i,    // the word's kind
  input  logic        is_post_i,
  input  logic        is_unit_i,
  input  logic        is_pipelined_i,
  input  logic        done_i,       // the word's last cycle: a wait gets its token, a post a place
  input  logic        line_i,       // the oldest pipelined word ends
  output logic        issue_o,      // a word issues in this cycle
  output logic        pipelined_o,  // its retirement comes with retire_o; all others retire next
  output logic [31:0] stall_o,      // cycles that the wait or post has waited
  output logic        retire_o      // the oldest pipelined word has retired
);

  logic        waits;    // the word may wait before it issues
  logic        first_q;  // its first cycle
  logic [31:0] stall_q;
  logic        retire_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q  <= 1'b0;
      stall_q  <= '0;
      retire_q <= 1'b0;
    end else begin
      first_q  <= moves_i && next_i;
      retire_q <= line_i;
      if (waits) stall_q <= done_i ? 32'd0 : stall_q + 32'd1;
    end
  end
  assign waits       = is_wait_i || is_post_i;
  assign issue_o     = waits ? done_i : first_q;
  assign pipelined_o = is_post_i || (is_unit_i && is_pipelined_i);
  assign stall_o     = stall_q;
  assign retire_o    = retire_q;

endmodule
