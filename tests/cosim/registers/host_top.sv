// The top for cocotb: every pin of the registers as a variable, which Verilator lets it write (unlike ports).
module host_top #(
  parameter logic [63:0] MachineHash = '0,
  parameter int unsigned NumFaults   = 4,
  parameter int unsigned Alignment   = 4
);

  logic clk_i;
  logic rst_ni;
  logic s_axil_awvalid;
  logic s_axil_awready;
  logic [11:0] s_axil_awaddr;
  logic [2:0] s_axil_awprot;
  logic s_axil_wvalid;
  logic s_axil_wready;
  logic [31:0] s_axil_wdata;
  logic [3:0] s_axil_wstrb;
  logic s_axil_bvalid;
  logic s_axil_bready;
  logic [1:0] s_axil_bresp;
  logic s_axil_arvalid;
  logic s_axil_arready;
  logic [11:0] s_axil_araddr;
  logic [2:0] s_axil_arprot;
  logic s_axil_rvalid;
  logic s_axil_rready;
  logic [31:0] s_axil_rdata;
  logic [1:0] s_axil_rresp;
  logic irq_o;
  logic core_rst_no;
  logic core_start_o;
  logic [31:0] core_entry_o;
  logic core_block_done_i;
  logic core_done_i;
  logic [NumFaults-1:0] core_fault_i;
  logic [NumFaults-1:0] memory_fault_i;
  logic [63:0] memory_address_i;
  logic memory_idle_i;
  logic [15:0] bytes_read_i;
  logic [15:0] bytes_written_i;
  logic [7:0] stalled_i;

  covenant_host #(
    .MachineHash,
    .NumFaults,
    .Alignment
  ) u_host (
    .clk_i,
    .rst_ni,
    .s_axil_awvalid,
    .s_axil_awready,
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_wvalid,
    .s_axil_wready,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_bvalid,
    .s_axil_bready,
    .s_axil_bresp,
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_rvalid,
    .s_axil_rready,
    .s_axil_rdata,
    .s_axil_rresp,
    .irq_o,
    .core_rst_no,
    .core_start_o,
    .core_entry_o,
    .core_block_done_i,
    .core_done_i,
    .core_fault_i,
    .memory_fault_i,
    .memory_address_i,
    .memory_idle_i,
    .bytes_read_i,
    .bytes_written_i,
    .stalled_i
  );

endmodule
