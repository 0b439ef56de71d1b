// Controls runs of a machine, between the registers of the host (docs/reference/registers.md) and the machine.
//
// A start is accepted unless a run is in progress or no program can begin at its address. The machine is then held in
// reset for `ResetCycles` cycles, and until its memories have answered all outstanding requests, before `core_start_o`
// runs the program: it can thus run any number of times, however the previous run has ended. Memories and scratchpads
// keep their contents. A fault or an abort puts the machine into reset at once.
module covenant_control #(
  parameter int unsigned NumFaults   = 4,
  parameter int unsigned Alignment   = 4,  // bytes: programs begin at multiples
  parameter int unsigned ResetCycles = 4
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Registers.
  input  logic                 start_i,
  input  logic                 abort_i,
  input  logic [63:0]          program_i,
  output logic                 busy_o,
  output logic                 done_o,
  output logic                 fault_o,
  output logic                 aborted_o,
  output logic [3:0]           stop_o,            // reason for the end of the last run
  output logic [3:0]           refusal_o,         // why the last refused start was
  output logic [63:0]          cycles_o,
  output logic [31:0]          blocks_o,
  output logic [63:0]          faults_o,
  output logic [63:0]          fault_address_o,
  output logic [63:0]          bytes_read_o,
  output logic [63:0]          bytes_written_o,
  output logic [63:0]          stalled_o,
  output logic                 set_done_o,        // events, in one cycle each
  output logic                 set_fault_o,
  output logic                 set_refused_o,
  output logic                 set_aborted_o,
  // Machine.
  output logic                 core_rst_no,
  output logic                 core_start_o,      // run the program at core_entry_o; the next cycle is cycle 0
  output logic [31:0]          core_entry_o,
  input  logic                 core_block_done_i, // the running block is done in this cycle
  input  logic                 core_done_i,       // the last one has been
  input  logic [NumFaults-1:0] core_fault_i,
  // Its off-chip memories.
  input  logic [NumFaults-1:0] memory_fault_i,    // one has answered this engine with an error
  input  logic [63:0]          memory_address_i,  // for the burst at this address
  input  logic                 memory_idle_i,     // no answer is still to come
  input  logic [15:0]          bytes_read_i,      // read in this cycle
  input  logic [15:0]          bytes_written_i,
  input  logic [7:0]           stalled_i          // ports that wait for an answer
);

  localparam logic [3:0] StopNone = 4'd0, StopMachine = 4'd1, StopMemory = 4'd2, StopAbort = 4'd3;
  localparam logic [3:0] RefusalNone = 4'd0, RefusalBusy = 4'd1, RefusalAddress = 4'd2;

  typedef enum logic [1:0] {
    StIdle,
    StReset,  // the machine is held in reset
    StStart,  // the machine is started
    StRun
  } state_e;

  state_e      state_q;
  logic        core_rst_q, done_q;
  logic [3:0]  stop_q, refusal_q;
  logic [7:0]  wait_q;        // cycles of reset still to come
  logic [31:0] entry_q, blocks_q;
  logic [63:0] cycle_q;       // this cycle's number
  logic [63:0] end_q;         // cycle in which the last block was done, or in which the run was stopped
  logic [63:0] faults_q, address_q, read_q, written_q, stalled_q, faults_now;
  logic        is_place, accepts, finishes, faults, aborts;

  assign is_place      = (program_i[63:32] == '0) && (program_i[31:0] % Alignment == '0);
  assign accepts       = start_i && (state_q == StIdle) && is_place;
  assign faults_now    = 64'(core_fault_i) | 64'(memory_fault_i);
  assign faults        = (state_q == StRun) && ((core_fault_i != '0) || (memory_fault_i != '0));
  assign finishes      = (state_q == StRun) && !faults && core_done_i;
  assign aborts        = (state_q != StIdle) && !faults && !finishes && abort_i;
  assign set_done_o    = finishes;
  assign set_fault_o   = faults;
  assign set_aborted_o = aborts;
  assign set_refused_o = start_i && !accepts;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= StIdle;
      core_rst_q <= 1'b0;
      wait_q     <= '0;
    end else begin
      unique case (state_q)
        StIdle: begin
          if (accepts) begin
            state_q    <= StReset;
            core_rst_q <= 1'b0;
            wait_q     <= 8'(ResetCycles - 1);
          end
        end
        StReset: begin
          if (wait_q != '0) wait_q <= wait_q - 8'd1;
          if ((wait_q == '0) && memory_idle_i) begin
            state_q    <= StStart;
            core_rst_q <= 1'b1;
          end
        end
        StStart: state_q <= StRun;
        StRun: begin
          if (finishes) state_q <= StIdle;
        end
        default: state_q <= StIdle;
      endcase
      if (faults || aborts) begin
        state_q    <= StIdle;
        core_rst_q <= 1'b0;
      end
    end
  end

  // Outcome of the run.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_q    <= 1'b0;
      stop_q    <= StopNone;
      refusal_q <= RefusalNone;
      entry_q   <= '0;
      faults_q  <= '0;
      address_q <= '0;
    end else begin
      if (accepts) begin
        done_q    <= 1'b0;
        stop_q    <= StopNone;
        entry_q   <= program_i[31:0];
        faults_q  <= '0;
        address_q <= '0;
      end
      if (finishes) done_q <= 1'b1;
      if (faults) begin
        stop_q   <= (memory_fault_i != '0) ? StopMemory : StopMachine;
        faults_q <= faults_now;
        if (memory_fault_i != '0) address_q <= memory_address_i;
      end
      if (aborts) stop_q <= StopAbort;
      if (start_i) refusal_q <= accepts ? RefusalNone : (state_q != StIdle) ? RefusalBusy : RefusalAddress;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q   <= '0;
      end_q     <= '0;
      blocks_q  <= '0;
      read_q    <= '0;
      written_q <= '0;
      stalled_q <= '0;
    end else if (accepts) begin
      cycle_q   <= '0;
      end_q     <= '0;
      blocks_q  <= '0;
      read_q    <= '0;
      written_q <= '0;
      stalled_q <= '0;
    end else if (state_q == StRun) begin
      cycle_q   <= cycle_q + 64'd1;
      read_q    <= read_q + 64'(bytes_read_i);
      written_q <= written_q + 64'(bytes_written_i);
      stalled_q <= stalled_q + 64'(stalled_i);
      if (core_block_done_i) blocks_q <= blocks_q + 32'd1;
      if (core_block_done_i || faults || aborts) end_q <= cycle_q;
    end
  end

  assign busy_o          = state_q != StIdle;
  assign done_o          = done_q;
  assign fault_o         = (stop_q == StopMachine) || (stop_q == StopMemory);
  assign aborted_o       = stop_q == StopAbort;
  assign stop_o          = stop_q;
  assign refusal_o       = refusal_q;
  assign cycles_o        = busy_o ? cycle_q : end_q;
  assign blocks_o        = blocks_q;
  assign faults_o        = faults_q;
  assign fault_address_o = address_q;
  assign bytes_read_o    = read_q;
  assign bytes_written_o = written_q;
  assign stalled_o       = stalled_q;
  assign core_rst_no     = core_rst_q;
  assign core_start_o    = state_q == StStart;
  assign core_entry_o    = entry_q;

`ifndef SYNTHESIS
  StartsOutOfReset_A: assert property (@(posedge clk_i) disable iff (!rst_ni) core_start_o |-> core_rst_no);
  OneEvent_A: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0({set_done_o, set_fault_o, set_aborted_o}));
  EndsIdle_A: assert property (@(posedge clk_i) disable iff (!rst_ni) done_o || (stop_o != StopNone) |-> !busy_o);
`endif

endmodule
