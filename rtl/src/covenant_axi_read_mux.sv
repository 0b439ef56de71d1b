// Several AXI4 read masters on one bus (docs/reference/rtl.md, "Off-chip memory").
//
// The id of a burst is the number of its master: answers find their way by it, in whatever order the memory gives those of
// different ids, be it beat by beat.
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

  covenant_turns #(
    .Members   (Masters),
    .IndexWidth(IdWidth)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .request_i(arvalid_i),
    .served_i (arready_i),
    .turn_o   (arid_o)
  );
  assign arvalid_o = |arvalid_i;
  assign araddr_o  = araddr_i[32*arid_o+:32];
  assign arlen_o   = arlen_i[8*arid_o+:8];
  assign arsize_o  = arsize_i[3*arid_o+:3];
  assign arburst_o = arburst_i[2*arid_o+:2];
  assign rready_o  = rready_i[rid_i];

  always_comb begin
    arready_o         = '0;
    arready_o[arid_o] = arready_i;
    rvalid_o          = '0;
    rvalid_o[rid_i]   = rvalid_i;
  end

`ifndef SYNTHESIS
  SharedReadStaysValid_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      arvalid_o && !arready_i |=> arvalid_o && $stable({arid_o, araddr_o, arlen_o, arsize_o}));
  AnswerHasAMaster_A: assert property (@(posedge clk_i) disable iff (!rst_ni) rvalid_i |-> 32'(rid_i) < Masters);
`endif

endmodule
