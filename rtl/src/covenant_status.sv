// Start and status of a machine as a block of memory-mapped 32-bit registers (docs/reference/rtl.md, "Registers").
//
// One access in a cycle, never refused: what is written with `reg_valid_i` and `reg_write_i` in cycle t counts from t + 1
// on (a start: in t itself), what is asked for in t stands at `reg_data_o` in t + 1 and stays there. Accesses that mean
// nothing (an address without a register, or not of a word, a write to what can only be read) do nothing and set
// `reg_error_o` in t + 1. A machine runs once after each reset.
module covenant_status #(
  parameter int unsigned NumFaults = 4  // at most 32 are shown
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Registers.
  input  logic                 reg_valid_i,
  input  logic                 reg_write_i,
  input  logic [7:0]           reg_address_i,  // bytes
  input  logic [31:0]          reg_data_i,
  output logic [31:0]          reg_data_o,
  output logic                 reg_error_o,
  // Start by pins, in place of the registers.
  input  logic                 start_i,
  input  logic [31:0]          entry_i,
  // Machine.
  output logic                 start_o,        // run the program at entry_o; the next cycle is cycle 0
  output logic [31:0]          entry_o,
  input  logic                 block_done_i,   // the running block is done in this cycle
  input  logic                 done_i,         // the last one has been
  input  logic [NumFaults-1:0] fault_i
);

  localparam logic [5:0] Control = 6'd0, Status = 6'd1, Entry = 6'd2, CyclesLow = 6'd3, CyclesHigh = 6'd4, Blocks = 6'd5,
                         Faults = 6'd6, Identity = 6'd7;
  localparam logic [31:0] IdentityValue = 32'h4E56_4F43;  // "COVN", lowest byte first

  logic        busy_q, done_q;
  logic [31:0] entry_q, blocks_q, faults_q, data_q, data_d, faults_now;
  logic [63:0] cycle_q;  // this cycle's number; when not busy, of the cycle in which the last block was done
  logic [63:0] end_q;    // in which a block was done last
  logic        error_q, error_d;
  logic        writes, reads, aligned, is_register, starts;
  logic [5:0]  index;

  always_comb begin
    index       = '0;
    aligned     = 1'b0;
    is_register = 1'b0;
    writes      = 1'b0;
    reads       = 1'b0;
    starts      = 1'b0;
    error_d     = 1'b0;
    if (reg_valid_i) begin
      index       = reg_address_i[7:2];
      aligned     = reg_address_i[1:0] == 2'd0;
      is_register = aligned && (index <= Identity);
      writes      = reg_write_i && aligned && ((index == Control) || (index == Entry));
      reads       = !reg_write_i && is_register;
      starts      = writes && (index == Control) && reg_data_i[0] && !busy_q && !done_q && (faults_q == '0);
      error_d     = !writes && !reads;
    end
  end
  assign start_o    = start_i || starts;
  assign entry_o    = start_i ? entry_i : entry_q;
  assign faults_now = 32'(fault_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q   <= 1'b0;
      done_q   <= 1'b0;
      entry_q  <= '0;
      cycle_q  <= '0;
      end_q    <= '0;
      blocks_q <= '0;
      faults_q <= '0;
    end else begin
      if (busy_q) begin
        cycle_q  <= cycle_q + 64'd1;
        faults_q <= faults_q | faults_now;
        if (block_done_i) begin
          end_q    <= cycle_q;
          blocks_q <= blocks_q + 32'd1;
        end
        if (faults_now != '0) begin
          busy_q <= 1'b0;
          end_q  <= cycle_q;
        end else if (done_i) begin
          busy_q <= 1'b0;
          done_q <= 1'b1;
        end
      end else if (writes && (index == Entry)) begin
        entry_q <= reg_data_i;
      end
      if (start_o) begin
        busy_q   <= 1'b1;
        cycle_q  <= '0;
        blocks_q <= '0;
      end
    end
  end

  always_comb begin
    data_d = '0;
    if (reads) begin
      unique case (index)
        Status:     data_d = {29'd0, faults_q != '0, done_q, busy_q};
        Entry:      data_d = entry_q;
        CyclesLow:  data_d = busy_q ? cycle_q[31:0] : end_q[31:0];
        CyclesHigh: data_d = busy_q ? cycle_q[63:32] : end_q[63:32];
        Blocks:     data_d = blocks_q;
        Faults:     data_d = faults_q;
        Identity:   data_d = IdentityValue;
        default:    data_d = '0;  // control
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      data_q  <= '0;
      error_q <= 1'b0;
    end else begin
      if (reads) data_q <= data_d;
      error_q <= error_d;
    end
  end
  assign reg_data_o  = data_q;
  assign reg_error_o = error_q;

`ifndef SYNTHESIS
  OneRunAfterReset_A: assert property (@(posedge clk_i) disable iff (!rst_ni) start_o |-> !busy_q);
  BlocksOfARun_A: assert property (@(posedge clk_i) disable iff (!rst_ni) block_done_i |-> busy_q || (faults_q != '0));
  NotBusyAndDone_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(busy_q && done_q));
`endif

endmodule
