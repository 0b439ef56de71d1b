// Read and write masters of three widths on one AXI bus, as the generated device has them, for axi_bench.cpp.
//
// Fields of masters lie side by side, the first one lowest; data of narrow ones in the lowest bytes of their places.
module axi_bench #(
  parameter int unsigned Outstanding = 8
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  // Reads of the machine.
  input  logic [2:0]   read_valid_i,
  input  logic [95:0]  read_address_i,
  input  logic [14:0]  read_beats_i,
  output logic [2:0]   read_ready_o,
  output logic [2:0]   answer_valid_o,
  input  logic [2:0]   answer_ready_i,
  input  logic [2:0]   answer_wanted_i,
  output logic [767:0] answer_data_o,
  output logic [2:0]   read_idle_o,
  output logic [2:0]   read_fault_o,
  output logic [95:0]  read_fault_address_o,
  // Writes of the machine.
  input  logic [2:0]   write_valid_i,
  input  logic [95:0]  write_address_i,
  input  logic [14:0]  write_beats_i,
  output logic [2:0]   write_ready_o,
  input  logic [2:0]   beat_valid_i,
  input  logic [767:0] beat_data_i,
  input  logic [95:0]  beat_strobe_i,
  output logic [2:0]   written_o,
  input  logic [2:0]   written_ready_i,
  output logic [2:0]   write_idle_o,
  output logic [2:0]   write_fault_o,
  output logic [95:0]  write_fault_address_o,
  // Bus.
  output logic         arvalid_o,
  input  logic         arready_i,
  output logic [1:0]   arid_o,
  output logic [31:0]  araddr_o,
  output logic [7:0]   arlen_o,
  output logic [2:0]   arsize_o,
  output logic [1:0]   arburst_o,
  input  logic         rvalid_i,
  output logic         rready_o,
  input  logic [1:0]   rid_i,
  input  logic [255:0] rdata_i,
  input  logic [1:0]   rresp_i,
  input  logic         rlast_i,
  output logic         awvalid_o,
  input  logic         awready_i,
  output logic [1:0]   awid_o,
  output logic [31:0]  awaddr_o,
  output logic [7:0]   awlen_o,
  output logic [2:0]   awsize_o,
  output logic [1:0]   awburst_o,
  output logic         wvalid_o,
  input  logic         wready_i,
  output logic [255:0] wdata_o,
  output logic [31:0]  wstrb_o,
  output logic         wlast_o,
  input  logic         bvalid_i,
  output logic         bready_o,
  input  logic [1:0]   bid_i,
  input  logic [1:0]   bresp_i
);

  localparam int unsigned Masters  = 3;
  localparam int unsigned BusBytes = 32;

  logic [Masters-1:0]            arvalid, arready, rvalid, rready;
  logic [32*Masters-1:0]         araddr;
  logic [8*Masters-1:0]          arlen;
  logic [3*Masters-1:0]          arsize;
  logic [2*Masters-1:0]          arburst;
  logic [Masters-1:0]            awvalid, awready, wvalid, wready, wlast, bvalid, bready;
  logic [32*Masters-1:0]         awaddr;
  logic [8*Masters-1:0]          awlen;
  logic [3*Masters-1:0]          awsize;
  logic [2*Masters-1:0]          awburst;
  logic [8*BusBytes*Masters-1:0] wdata;
  logic [BusBytes*Masters-1:0]   wstrb;
  logic                          unused;
  assign unused = &{1'b0, beat_data_i, beat_strobe_i};

  for (genvar i = 0; i < int'(Masters); i++) begin : gen_masters
    localparam int unsigned Bytes = (i == 0) ? 16 : (i == 1) ? 32 : 8;
    logic [8*Bytes-1:0] answer;
    assign answer_data_o[256*i+:256] = 256'(answer);

    covenant_axi_read #(
      .BeatBytes  (Bytes),
      .BusBytes   (BusBytes),
      .Outstanding(Outstanding),
      .BurstBeats (16),
      .Shared     (1'b1)
    ) u_read (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o         (read_idle_o[i]),
      .fault_o        (read_fault_o[i]),
      .fault_address_o(read_fault_address_o[32*i+:32]),
      .burst_valid_i  (read_valid_i[i]),
      .burst_address_i(read_address_i[32*i+:32]),
      .burst_beats_i  (read_beats_i[5*i+:5]),
      .burst_ready_o  (read_ready_o[i]),
      .answer_valid_o (answer_valid_o[i]),
      .answer_ready_i (answer_ready_i[i]),
      .answer_wanted_i(answer_wanted_i[i]),
      .answer_data_o  (answer),
      .arvalid_o      (arvalid[i]),
      .arready_i      (arready[i]),
      .araddr_o       (araddr[32*i+:32]),
      .arlen_o        (arlen[8*i+:8]),
      .arsize_o       (arsize[3*i+:3]),
      .arburst_o      (arburst[2*i+:2]),
      .rvalid_i       (rvalid[i]),
      .rready_o       (rready[i]),
      .rdata_i,
      .rresp_i,
      .rlast_i
    );

    covenant_axi_write #(
      .BeatBytes  (Bytes),
      .BusBytes   (BusBytes),
      .Outstanding(Outstanding)
    ) u_write (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o         (write_idle_o[i]),
      .fault_o        (write_fault_o[i]),
      .fault_address_o(write_fault_address_o[32*i+:32]),
      .burst_valid_i  (write_valid_i[i]),
      .burst_address_i(write_address_i[32*i+:32]),
      .burst_beats_i  (write_beats_i[5*i+:5]),
      .ready_o        (write_ready_o[i]),
      .write_valid_i  (beat_valid_i[i]),
      .write_data_i   (beat_data_i[256*i+:8*Bytes]),
      .write_strobe_i (beat_strobe_i[32*i+:Bytes]),
      .written_o      (written_o[i]),
      .written_ready_i(written_ready_i[i]),
      .awvalid_o      (awvalid[i]),
      .awready_i      (awready[i]),
      .awaddr_o       (awaddr[32*i+:32]),
      .awlen_o        (awlen[8*i+:8]),
      .awsize_o       (awsize[3*i+:3]),
      .awburst_o      (awburst[2*i+:2]),
      .wvalid_o       (wvalid[i]),
      .wready_i       (wready[i]),
      .wdata_o        (wdata[8*BusBytes*i+:8*BusBytes]),
      .wstrb_o        (wstrb[BusBytes*i+:BusBytes]),
      .wlast_o        (wlast[i]),
      .bvalid_i       (bvalid[i]),
      .bready_o       (bready[i]),
      .bresp_i
    );
  end

  covenant_axi_read_mux #(
    .Masters(Masters),
    .IdWidth(2)
  ) u_read_mux (
    .clk_i,
    .rst_ni,
    .arvalid_i(arvalid),
    .arready_o(arready),
    .araddr_i (araddr),
    .arlen_i  (arlen),
    .arsize_i (arsize),
    .arburst_i(arburst),
    .rvalid_o (rvalid),
    .rready_i (rready),
    .arvalid_o,
    .arready_i,
    .arid_o,
    .araddr_o,
    .arlen_o,
    .arsize_o,
    .arburst_o,
    .rvalid_i,
    .rready_o,
    .rid_i
  );

  covenant_axi_write_mux #(
    .Masters (Masters),
    .IdWidth (2),
    .BusBytes(BusBytes)
  ) u_write_mux (
    .clk_i,
    .rst_ni,
    .awvalid_i(awvalid),
    .awready_o(awready),
    .awaddr_i (awaddr),
    .awlen_i  (awlen),
    .awsize_i (awsize),
    .awburst_i(awburst),
    .wvalid_i (wvalid),
    .wready_o (wready),
    .wdata_i  (wdata),
    .wstrb_i  (wstrb),
    .wlast_i  (wlast),
    .bvalid_o (bvalid),
    .bready_i (bready),
    .awvalid_o,
    .awready_i,
    .awid_o,
    .awaddr_o,
    .awlen_o,
    .awsize_o,
    .awburst_o,
    .wvalid_o,
    .wready_i,
    .wdata_o,
    .wstrb_o,
    .wlast_o,
    .bvalid_i,
    .bready_o,
    .bid_i
  );

endmodule
