// Arbiter of a bus that several transfer engines share (docs/reference/units/dma.md, "Shared buses").
//
// A member has the bus in each cycle in which its `grant_o` is 1, in the same cycle as its request, and moves a beat if
// it is ready. A burst is BurstBeats beats of that member, or fewer if `last_i` ends the transfer; it is never
// interrupted, even while the member is not ready, and a member must request in every cycle of its burst. Bursts rotate
// in the order of the members, starting after the last one. The arbiter holds no data, which takes the members' own
// ports.
module covenant_bus #(
  parameter int unsigned         Members      = 2,
  parameter bit [32*Members-1:0] BurstBeats   = {Members{32'd16}},  // 32 bits of each member
  parameter int unsigned         LongestBurst = 16                  // the most of them
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,    // a block starts: the search begins with member 0
  input  logic [Members-1:0] request_i,  // the member has a beat to move
  input  logic [Members-1:0] ready_i,    // the beat moves if it is granted
  input  logic [Members-1:0] last_i,     // it is the last one of its transfer
  output logic [Members-1:0] grant_o
);

  localparam int unsigned IndexWidth = Members > 1 ? $clog2(Members) : 1;
  localparam int unsigned CountWidth = LongestBurst > 1 ? $clog2(LongestBurst) : 1;

  logic                  busy_q, busy_d;    // a burst is in progress
  logic [IndexWidth-1:0] owner_q, owner_d;  // member that has the bus, or had it last
  logic [CountWidth-1:0] count_q, count_d;  // beats of the burst that have moved

  // The next requesting member after the last owner.
  logic [IndexWidth-1:0] turn, candidate;
  always_comb begin
    turn      = owner_q;
    candidate = owner_q;
    for (int unsigned i = 0; i < Members; i++) begin
      // From the farthest one to the nearest: the last one found is the nearest.
      if (request_i[candidate]) turn = candidate;
      candidate = (candidate == '0) ? IndexWidth'(Members - 1) : candidate - 1'b1;
    end
  end

  logic given, moves, ends;
  assign given = busy_q ? request_i[owner_q] : (|request_i);
  assign moves = given && ready_i[owner_d];
  assign ends  = (count_q == CountWidth'(BurstBeats[32*owner_d+:32] - 1)) || last_i[owner_d];

  always_comb begin
    grant_o          = '0;
    owner_d          = busy_q ? owner_q : turn;
    grant_o[owner_d] = given;
  end

  always_comb begin
    busy_d  = busy_q;
    count_d = count_q;
    if (given) busy_d = !(moves && ends);
    if (moves) count_d = ends ? '0 : count_q + 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      owner_q <= IndexWidth'(Members - 1);
      count_q <= '0;
    end else if (clear_i) begin
      busy_q  <= 1'b0;
      owner_q <= IndexWidth'(Members - 1);
      count_q <= '0;
    end else begin
      busy_q  <= busy_d;
      count_q <= count_d;
      if (given) owner_q <= owner_d;
    end
  end

`ifndef SYNTHESIS
  OneHasIt_A: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(grant_o));
  NobodyElseHasIt_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (grant_o & ~request_i) == '0);
  NobodyIsForgotten_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (|request_i) |-> (|grant_o));
  BurstHasNoGap_A: assert property (@(posedge clk_i) disable iff (!rst_ni) busy_q |-> request_i[owner_q]);
  ClearsIdle_A: assert property (@(posedge clk_i) disable iff (!rst_ni) clear_i |-> !busy_q);
`endif

endmodule
