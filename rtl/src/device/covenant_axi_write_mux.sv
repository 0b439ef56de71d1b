// Several AXI4 write masters on one bus (docs/reference/rtl.md, "Off-chip memory").
//
// The id of a burst is the number of its master, which routes answers, in whatever order the memory gives those of
// different ids. Beats have no id: they follow in the order of the addresses. A master issues an address only when it
// has all beats of the burst, so none waits here for another one.
module covenant_axi_write_mux #(
  parameter int unsigned Masters  = 2,
  parameter int unsigned IdWidth  = 1,
  parameter int unsigned BusBytes = 16
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  // Masters; the response goes to all of them, all take it at once.
  input  logic [Masters-1:0]            awvalid_i,
  output logic [Masters-1:0]            awready_o,
  input  logic [32*Masters-1:0]         awaddr_i,
  input  logic [8*Masters-1:0]          awlen_i,
  input  logic [3*Masters-1:0]          awsize_i,
  input  logic [2*Masters-1:0]          awburst_i,
  input  logic [Masters-1:0]            wvalid_i,
  output logic [Masters-1:0]            wready_o,
  input  logic [8*BusBytes*Masters-1:0] wdata_i,
  input  logic [BusBytes*Masters-1:0]   wstrb_i,
  input  logic [Masters-1:0]            wlast_i,
  output logic [Masters-1:0]            bvalid_o,
  input  logic [Masters-1:0]            bready_i,
  // Bus.
  output logic                          awvalid_o,
  input  logic                          awready_i,
  output logic [IdWidth-1:0]            awid_o,
  output logic [31:0]                   awaddr_o,
  output logic [7:0]                    awlen_o,
  output logic [2:0]                    awsize_o,
  output logic [1:0]                    awburst_o,
  output logic                          wvalid_o,
  input  logic                          wready_i,
  output logic [8*BusBytes-1:0]         wdata_o,
  output logic [BusBytes-1:0]           wstrb_o,
  output logic                          wlast_o,
  input  logic                          bvalid_i,
  output logic                          bready_o,
  input  logic [IdWidth-1:0]            bid_i
);

  // An id may have more bits: the other direction of the bus has more ports.
  localparam int unsigned IndexWidth = Masters > 1 ? $clog2(Masters) : 1;
  logic                  asks, room, sends, unused_busy;
  logic [IndexWidth-1:0] asker, sender, receiver;
  assign awid_o   = IdWidth'(asker);
  assign receiver = IndexWidth'(bid_i);

  covenant_turns #(
    .Members   (Masters),
    .IndexWidth(IndexWidth)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .request_i(awvalid_i),
    .served_i (asks),
    .turn_o   (asker)
  );
  assign awvalid_o = (|awvalid_i) && room;  // there is no less room before it is taken
  assign asks      = awvalid_o && awready_i;
  assign awaddr_o  = awaddr_i[32*asker+:32];
  assign awlen_o   = awlen_i[8*asker+:8];
  assign awsize_o  = awsize_i[3*asker+:3];
  assign awburst_o = awburst_i[2*asker+:2];

  // Order of the ports whose beats come next.
  covenant_queue #(
    .Width (IndexWidth),
    .Places(16),
    .Cycles(1)
  ) u_senders (
    .clk_i,
    .rst_ni,
    .room_o (room),
    .valid_i(asks),
    .data_i (asker),
    .valid_o(sends),
    .data_o (sender),
    .ready_i(wvalid_o && wready_i && wlast_o),
    .busy_o (unused_busy)
  );
  assign wvalid_o = sends && wvalid_i[sender];
  assign wdata_o  = wdata_i[8*BusBytes*sender+:8*BusBytes];
  assign wstrb_o  = wstrb_i[BusBytes*sender+:BusBytes];
  assign wlast_o  = wlast_i[sender];
  assign bready_o = bready_i[receiver];

  always_comb begin
    awready_o          = '0;
    awready_o[asker]   = asks;
    wready_o           = '0;
    wready_o[sender]   = sends && wready_i;
    bvalid_o           = '0;
    bvalid_o[receiver] = bvalid_i;
  end

`ifndef SYNTHESIS
  SharedWriteStaysValid_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      awvalid_o && !awready_i |=> awvalid_o && $stable({awid_o, awaddr_o, awlen_o, awsize_o}));
  SharedDataStayValid_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      wvalid_o && !wready_i |=> wvalid_o && $stable({wdata_o, wstrb_o, wlast_o}));
  ResponseHasAMaster_A: assert property (@(posedge clk_i) disable iff (!rst_ni) bvalid_i |-> 32'(bid_i) < Masters);
`endif

endmodule
