// A queue that holds every entry for a minimum number of cycles.
//
// An entry with `valid_i` in cycle c may leave, in order and one a cycle, from cycle c + Cycles on: `valid_o` tells
// that the oldest one is old enough; it leaves in a cycle with `ready_i`. The producer must check `room_o` first, which
// counts the place of a leaving entry from the next cycle on. Data are in a ring, so a long queue costs one write and
// one read a cycle, an empty one nothing; `data_o` is undefined without `valid_o`.
module covenant_queue #(
  parameter int unsigned Width  = 1,
  parameter int unsigned Places = 64,  // a power of two, at least 2
  parameter int unsigned Cycles = 1,   // 0: the oldest may be what enters now
  parameter int unsigned Spare  = 0    // places that `room_o` keeps for entries on their way
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic             room_o,
  input  logic             valid_i,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  output logic [Width-1:0] data_o,
  input  logic             ready_i,
  output logic             busy_o    // something is inside
);

  localparam int unsigned PointerWidth = $clog2(Places);
  localparam int unsigned CountWidth   = PointerWidth + 1;

  logic [PointerWidth-1:0] head_q, tail_q;
  logic [CountWidth-1:0]   count_q;   // inside
  logic [Width-1:0]        data_q [Places];
  logic                    leaves;
  assign leaves = valid_o && ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
    end else if (valid_i || leaves) begin
      if (valid_i) tail_q <= tail_q + 1'b1;
      if (leaves) head_q <= head_q + 1'b1;
      count_q <= count_q + CountWidth'(valid_i) - CountWidth'(leaves);
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) data_q[tail_q] <= data_i;
  end

  if (Cycles == 0) begin : gen_immediate
    assign valid_o = busy_o || valid_i;
    always_comb begin
      data_o = data_i;
      if (busy_o) data_o = data_q[head_q];
    end
  end else begin : gen_aged
    // Number of the oldest entries that are old enough, in the order in which they have entered.
    logic [Cycles-1:0]     young_q;
    logic [CountWidth-1:0] aged_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        young_q <= '0;
        aged_q  <= '0;
      end else if (valid_i || busy_o) begin
        young_q <= Cycles'({young_q, valid_i});
        aged_q  <= aged_q + CountWidth'(young_q[Cycles-1]) - CountWidth'(leaves);
      end
    end
    assign valid_o = young_q[Cycles-1] || (aged_q != '0);
    always_comb begin
      data_o = '0;
      if (valid_o) data_o = data_q[head_q];
    end
  end
  assign busy_o = count_q != '0;
  assign room_o = count_q < CountWidth'(Places - Spare);

`ifndef SYNTHESIS
  EntersWhereIsRoom_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i |-> count_q != CountWidth'(Places));
  HoldsWhatIsOld_A: assert property (@(posedge clk_i) disable iff (!rst_ni) valid_o |-> (busy_o || (Cycles == 0)));
`endif

endmodule
