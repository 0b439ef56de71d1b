// The host's side of a machine: registers on AXI4-Lite (docs/reference/registers.md), the interrupt line, runs.
module covenant_host #(
  parameter logic [63:0] MachineHash = '0,
  parameter int unsigned NumFaults   = 4,
  parameter int unsigned Alignment   = 4  // bytes: programs begin at multiples
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic s_axil_awvalid,
  output logic s_axil_awready,
  input  logic [11:0] s_axil_awaddr,
  input  logic [2:0] s_axil_awprot,
  input  logic s_axil_wvalid,
  output logic s_axil_wready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0] s_axil_wstrb,
  output logic s_axil_bvalid,
  input  logic s_axil_bready,
  output logic [1:0] s_axil_bresp,
  input  logic s_axil_arvalid,
  output logic s_axil_arready,
  input  logic [11:0] s_axil_araddr,
  input  logic [2:0] s_axil_arprot,
  output logic s_axil_rvalid,
  input  logic s_axil_rready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0] s_axil_rresp,
  output logic irq_o,
  // Machine: see covenant_control.
  output logic core_rst_no,
  output logic core_start_o,
  output logic [31:0] core_entry_o,
  input  logic core_block_done_i,
  input  logic core_done_i,
  input  logic [NumFaults-1:0] core_fault_i,
  // Its off-chip memories.
  input  logic [NumFaults-1:0] memory_fault_i,
  input  logic [63:0] memory_address_i,
  input  logic memory_idle_i,
  input  logic [15:0] bytes_read_i,
  input  logic [15:0] bytes_written_i,
  input  logic [7:0] stalled_i
);

  covenant_registers_pkg::covenant__in_t hwif_in;
  covenant_registers_pkg::covenant__out_t hwif_out;

  // Those of the decoder, which has none at its last word.
  localparam int unsigned AddressBits = covenant_registers_pkg::COVENANT_REGISTERS_MIN_ADDR_WIDTH;

  // Not the address of a word, or beyond the registers: to where none is.
  function automatic logic [AddressBits-1:0] register_address(logic [11:0] address);
    return (address[1:0] != '0 || address[11:AddressBits] != '0) ? '1 : address[AddressBits-1:0];
  endfunction

  covenant_registers u_registers (
    .clk    (clk_i),
    .arst_n (rst_ni),
    .s_axil_awaddr (register_address(s_axil_awaddr)),
    .s_axil_araddr (register_address(s_axil_araddr)),
    .s_axil_awvalid,
    .s_axil_awprot,
    .s_axil_wvalid,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_bready,
    .s_axil_arvalid,
    .s_axil_arprot,
    .s_axil_rready,
    .s_axil_awready,
    .s_axil_wready,
    .s_axil_bvalid,
    .s_axil_bresp,
    .s_axil_arready,
    .s_axil_rvalid,
    .s_axil_rdata,
    .s_axil_rresp,
    .hwif_in,
    .hwif_out
  );
  assign irq_o = hwif_out.interrupt_status.intr;

  logic run_busy, run_done, run_fault, run_aborted, set_done, set_fault, set_refused, set_aborted;
  logic [3:0] run_stop, run_refusal;
  logic [31:0] run_blocks;
  logic [63:0] run_cycles, run_faults, run_fault_address, run_bytes_read, run_bytes_written, run_stalled;
  covenant_control #(
    .NumFaults(NumFaults),
    .Alignment(Alignment)
  ) u_control (
    .clk_i,
    .rst_ni,
    .start_i          (hwif_out.control.start.value),
    .abort_i          (hwif_out.control.stop.value),
    .program_i        ({hwif_out.program_high.value.value, hwif_out.program_low.value.value}),
    .busy_o           (run_busy),
    .done_o           (run_done),
    .fault_o          (run_fault),
    .aborted_o        (run_aborted),
    .stop_o           (run_stop),
    .refusal_o        (run_refusal),
    .cycles_o         (run_cycles),
    .blocks_o         (run_blocks),
    .faults_o         (run_faults),
    .fault_address_o  (run_fault_address),
    .bytes_read_o     (run_bytes_read),
    .bytes_written_o  (run_bytes_written),
    .stalled_o        (run_stalled),
    .set_done_o       (set_done),
    .set_fault_o      (set_fault),
    .set_refused_o    (set_refused),
    .set_aborted_o    (set_aborted),
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
  assign hwif_in.machine_low.value.next = MachineHash[31:0];
  assign hwif_in.machine_high.value.next = MachineHash[63:32];
  assign hwif_in.status.busy.next = run_busy;
  assign hwif_in.status.done.next = run_done;
  assign hwif_in.status.fault.next = run_fault;
  assign hwif_in.status.aborted.next = run_aborted;
  assign hwif_in.status.stop.next = run_stop;
  assign hwif_in.status.refusal.next = run_refusal;
  assign hwif_in.interrupt_status.done.next = set_done;
  assign hwif_in.interrupt_status.fault.next = set_fault;
  assign hwif_in.interrupt_status.refused.next = set_refused;
  assign hwif_in.interrupt_status.aborted.next = set_aborted;
  assign hwif_in.cycles_low.value.next = run_cycles[31:0];
  assign hwif_in.cycles_high.value.next = run_cycles[63:32];
  assign hwif_in.faults_low.value.next = run_faults[31:0];
  assign hwif_in.faults_high.value.next = run_faults[63:32];
  assign hwif_in.fault_address_low.value.next = run_fault_address[31:0];
  assign hwif_in.fault_address_high.value.next = run_fault_address[63:32];
  assign hwif_in.bytes_read_low.value.next = run_bytes_read[31:0];
  assign hwif_in.bytes_read_high.value.next = run_bytes_read[63:32];
  assign hwif_in.bytes_written_low.value.next = run_bytes_written[31:0];
  assign hwif_in.bytes_written_high.value.next = run_bytes_written[63:32];
  assign hwif_in.stalled_low.value.next = run_stalled[31:0];
  assign hwif_in.stalled_high.value.next = run_stalled[63:32];
  assign hwif_in.blocks.value.next = run_blocks;

`ifndef SYNTHESIS
  initial begin
    assert (covenant_registers_pkg::COVENANT_REGISTERS_SIZE < 2**AddressBits) else $fatal(1, "no address without a register");
  end
`endif

endmodule
