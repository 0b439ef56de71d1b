// Round-robin arbiter of a channel with several requesters (docs/reference/rtl.md, "Off-chip memory").
//
// The turn goes to the next requester after the last one served, and stays there until it has been served.
module covenant_turns #(
  parameter int unsigned Members    = 2,
  parameter int unsigned IndexWidth = 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [Members-1:0]    request_i,  // stays until it has been served
  input  logic                  served_i,   // the member that has the turn is served in this cycle
  output logic [IndexWidth-1:0] turn_o
);

  logic                  keeps_q;
  logic [IndexWidth-1:0] turn_q, candidate;

  always_comb begin
    turn_o    = turn_q;
    candidate = turn_q;
    if (!keeps_q) begin
      for (int unsigned i = 0; i < Members; i++) begin
        // From the farthest one to the nearest: the last one found is the nearest.
        if (request_i[candidate]) turn_o = candidate;
        candidate = (candidate == '0) ? IndexWidth'(Members - 1) : candidate - 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      keeps_q <= 1'b0;
      turn_q  <= IndexWidth'(Members - 1);
    end else if (|request_i) begin
      keeps_q <= !served_i;
      turn_q  <= turn_o;
    end
  end

`ifndef SYNTHESIS
  WhoHasItsTurnAsks_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (|request_i) |-> request_i[turn_o]);
  TurnIsKept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (|request_i) && !served_i |=> turn_o == $past(turn_o));
`endif

endmodule
