// A delay line of fixed length that stores only valid entries.
//
// An entry with `valid_i` in cycle c leaves with `valid_o` in cycle c + Cycles. Data are in a ring, so a long line
// costs one write and one read a cycle, an empty one nothing; `data_o` is undefined without `valid_o`. There is no
// back-pressure.
module covenant_delay #(
  parameter int unsigned Width  = 1,
  parameter int unsigned Cycles = 1  // 0: wires
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  output logic [Width-1:0] data_o,
  output logic             busy_o    // something is inside
);

  if (Cycles == 0) begin : gen_wires
    logic unused;
    assign unused  = &{1'b0, clk_i, rst_ni};
    assign valid_o = valid_i;
    assign data_o  = data_i;
    assign busy_o  = 1'b0;
  end else begin : gen_ring
    localparam int unsigned PointerWidth = Cycles > 1 ? $clog2(Cycles) : 1;

    logic [Cycles-1:0]       valid_q;
    logic [PointerWidth-1:0] pointer_q;
    logic [Width-1:0]        data_q [Cycles];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_q   <= '0;
        pointer_q <= '0;
      end else if (valid_i || busy_o) begin
        valid_q   <= Cycles'({valid_q, valid_i});
        pointer_q <= (pointer_q == PointerWidth'(Cycles - 1)) ? '0 : pointer_q + 1'b1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (valid_i) data_q[pointer_q] <= data_i;
    end

    always_comb begin
      data_o = '0;
      if (valid_o) data_o = data_q[pointer_q];
    end
    assign valid_o = valid_q[Cycles-1];
    assign busy_o  = |valid_q;
  end

endmodule
