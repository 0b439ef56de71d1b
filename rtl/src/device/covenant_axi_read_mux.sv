// Several AXI4 read masters on one bus (docs/reference/rtl.md, "Off-chip memory").
//
// The id of a burst is the number of its master, which routes answers, in whatever order the memory gives those of
// different ids, even beat by beat. Every master takes its own answers at once: none blocks those of another one.
module covenant_axi_read_mux #(
  parameter int unsigned Masters = 2,
  parameter int unsigned IdWidth = 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // Masters; data, response and `rlast` go to all of them.
  input  logic [Masters-1:0]    arvalid_i,
  output logic [Masters-1:0]    arready_o,
  input  logic [32*Masters-1:0] araddr_i,
  input  logic [8*Masters-1:0]  arlen_i,
  input  logic [3*Masters-1:0]  arsize_i,
  input  logic [2*Masters-1:0]  arburst_i,
  output logic [Masters-1:0]    rvalid_o,
  input  logic [Masters-1:0]    rready_i,
  // Bus.
  output logic                  arvalid_o,
  input  logic                  arready_i,
  output logic [IdWidth-1:0]    arid_o,
  output logic [31:0]           araddr_o,
  output logic [7:0]            arlen_o,
  output logic [2:0]            arsize_o,
  output logic [1:0]            arburst_o,
  input  logic                  rvalid_i,
  output logic                  rready_o,
  input  logic [IdWidth-1:0]    rid_i
);

  // An id may have more bits: the other direction of the bus has more ports.
  localparam int unsigned IndexWidth = Masters > 1 ? $clog2(Masters) : 1;
  logic [IndexWidth-1:0] asker, receiver;
  assign arid_o   = IdWidth'(asker);
  assign receiver = IndexWidth'(rid_i);

  covenant_turns #(
    .Members   (Masters),
    .IndexWidth(IndexWidth)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .request_i(arvalid_i),
    .served_i (arready_i),
    .turn_o   (asker)
  );
  assign arvalid_o = |arvalid_i;
  assign araddr_o  = araddr_i[32*asker+:32];
  assign arlen_o   = arlen_i[8*asker+:8];
  assign arsize_o  = arsize_i[3*asker+:3];
  assign arburst_o = arburst_i[2*asker+:2];
  assign rready_o  = rready_i[receiver];

  always_comb begin
    arready_o          = '0;
    arready_o[asker]   = arready_i;
    rvalid_o           = '0;
    rvalid_o[receiver] = rvalid_i;
  end

`ifndef SYNTHESIS
  SharedReadStaysValid_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      arvalid_o && !arready_i |=> arvalid_o && $stable({arid_o, araddr_o, arlen_o, arsize_o}));
  AnswersAreTakenAtOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni) rvalid_i |-> rready_o);
  AnswerHasAMaster_A: assert property (@(posedge clk_i) disable iff (!rst_ni) rvalid_i |-> 32'(rid_i) < Masters);
`endif

endmodule
