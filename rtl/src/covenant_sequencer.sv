// Instruction memory, program counter, tile loops and tokens of one engine (docs/reference/units/sequencer.md).
//
// Executes one word a cycle, in order. Loops and tokens are executed here; every other word is shown to the unit as
// `unit_valid_o` until the unit says `unit_ready_i` in the last cycle of its occupancy (combinationally, in the same cycle
// if it is 1). `Depth` cycles after a post its token is visible; words whose effect ends a pipeline (load, store, gemm,
// SIMD nests) retire through the same line. The instruction memory is read one cycle ahead; it holds each word with the
// operation that the fetch unit has decoded from it.
module covenant_sequencer #(
  parameter int unsigned Engine           = 0,     // position in the machine's list of engines
  parameter int unsigned Depth            = 1,     // cycles from the end of a word's occupancy to its effect being visible
  parameter int unsigned InstructionDepth = 1024,  // words of one buffer
  parameter int unsigned FetchWords       = 2      // words that arrive in one beat
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // Fetch unit: words, and the size of this engine's group.
  input  logic                     fill_buffer_i,
  input  logic                     fill_begin_i,       // a new block: no words yet
  input  logic [FetchWords-1:0]    fill_header_i,      // slot holds a group's header
  input  logic [FetchWords-1:0]    fill_valid_i,       // slot holds a word of a group
  input  logic [FetchWords*8-1:0]  fill_engine_i,      // per slot, of its group
  input  logic [FetchWords*16-1:0] fill_index_i,       // per slot: position in the group; of a header: words that follow
  input  logic [FetchWords*32-1:0] fill_word_i,
  input  logic [FetchWords*covenant_pkg::OperationWidth-1:0] fill_operation_i,
  // Blocks.
  input  logic                     start_i,            // the block of buffer start_buffer_i starts in the next cycle
  input  logic                     start_buffer_i,
  output logic                     busy_o,             // a command has not retired
  output logic                     fault_o,            // a word that this engine cannot execute
  // Unit.
  output logic                     unit_valid_o,
  output covenant_pkg::operation_t               unit_operation_o,
  output logic [31:0]              unit_word_o,
  input  logic                     unit_ready_i,
  input  logic                     unit_accepts_i,     // it knows the operation
  output logic                     tile_end_o,         // the body of loop tile_level_o ends:
  output logic                     tile_repeats_o,     // its index grows by one, or else returns to 0
  output logic [2:0]               tile_level_o,
  output logic [15:0]              stride_index_o,     // index of the loop that a stride word names
  output logic                     reduction_first_o,  // open loops marked as reductions are at 0
  // Tokens.
  output logic [31:0]              channel_o,          // counter that a wait or post names
  output logic                     wait_o,
  input  logic                     token_i,            // it has a token, and the engine takes it
  output logic                     post_issue_o,       // this engine's pointer of the channel turns
  output logic                     post_o,             // a token, to be visible in the next cycle
  output logic [31:0]              post_channel_o,
  // For observers.
  output logic                     issue_o,            // a word issues in this cycle
  output logic [15:0]              issue_index_o,
  output logic [31:0]              issue_word_o,
  output logic [31:0]              issue_stall_o,
  output logic                     issue_pipelined_o,  // its retirement comes with retire_o; all others retire next
  output logic                     retire_o            // the oldest pipelined word has retired
);

  localparam int unsigned MemoryWidth = $clog2(2 * InstructionDepth);
  localparam int unsigned TileLoops   = 8;   // one more than there are: three bits name no other
  localparam int unsigned Group       = 16;  // simulators unroll short loops only
  localparam int unsigned FetchGroups = (FetchWords + Group - 1) / Group;

  // Instruction memory. One process reads before it writes, with blocking assignments, as in covenant_scratchpad.
  logic [31:0]              memory [2*InstructionDepth];
  covenant_pkg::operation_t operations [2*InstructionDepth];
  logic [31:0]              word_q;
  covenant_pkg::operation_t operation_q;
  logic [MemoryWidth-1:0]   fetch_address;
  logic                     moves;            // another word comes next, or none
  logic [2*16-1:0]          count_q;          // words of each buffer
  logic                     buffer_q, buffer_d;
  logic [15:0]              pc_q, pc_d;
  logic                     valid_q, valid_d;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (moves) begin
      word_q      <= memory[fetch_address];
      operation_q <= operations[fetch_address];
    end
    if (|fill_valid_i) begin
      for (int unsigned g = 0; g < FetchGroups; g++) begin
        for (int unsigned i = 0; i < Group; i++) begin
          if (g*Group + i < FetchWords) begin
            if (fill_valid_i[g*Group + i] && (fill_engine_i[(g*Group + i)*8 +: 8] == 8'(Engine))) begin
              memory[MemoryWidth'(32'(fill_buffer_i) * InstructionDepth + 32'(fill_index_i[(g*Group + i)*16 +: 16]))] =
                  fill_word_i[(g*Group + i)*32 +: 32];
              operations[MemoryWidth'(32'(fill_buffer_i) * InstructionDepth +
                                      32'(fill_index_i[(g*Group + i)*16 +: 16]))] =
                  fill_operation_i[(g*Group + i)*covenant_pkg::OperationWidth +: covenant_pkg::OperationWidth];
            end
          end
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  logic        header_valid;
  logic [15:0] header_count;
  always_comb begin
    header_valid = 1'b0;
    header_count = '0;
    if (|fill_header_i) begin
      for (int unsigned s = 0; s < FetchWords; s++) begin
        if (fill_header_i[s] && (fill_engine_i[s*8 +: 8] == 8'(Engine))) begin
          header_valid = 1'b1;
          header_count = fill_index_i[s*16 +: 16];
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else if (fill_begin_i || header_valid) begin
      count_q[32'(fill_buffer_i)*16 +: 16] <= fill_begin_i ? 16'd0 : header_count;
    end
  end

  // What the word asks for.
  logic [2:0]  level;
  logic        is_loop, is_end, is_wait, is_post, is_unit, is_pipelined;
  logic [31:0] channel;

  always_comb begin
    is_loop      = 1'b0;
    is_end       = 1'b0;
    is_wait      = 1'b0;
    is_post      = 1'b0;
    is_unit      = 1'b0;
    is_pipelined = 1'b0;
    level        = '0;
    channel      = '0;
    if (valid_q) begin
      is_loop = operation_q == covenant_pkg::OpLoop;
      is_end  = operation_q == covenant_pkg::OpEnd;
      is_wait = operation_q == covenant_pkg::OpWait;
      is_post = operation_q == covenant_pkg::OpPost;
      is_unit = !is_loop && !is_end && !is_wait && !is_post;
      if (is_wait || is_post) begin
        channel = {29'(covenant_pkg::operand_memory(word_q)), 2'(covenant_pkg::operand_slot(word_q)),
                   1'(covenant_pkg::operand_token(word_q))};
      end else begin
        level        = 3'(covenant_pkg::operand_level(word_q));
        is_pipelined = covenant_pkg::is_pipelined_operation(operation_q);
      end
    end
  end

  // Tile loops: no stack, a level knows where its body begins.
  logic [15:0]          index_q [TileLoops];
  logic [15:0]          last_q [TileLoops];
  logic [15:0]          body_q [TileLoops];
  logic [TileLoops-1:0] reduction_q, reduction_d;   // open and marked
  logic [TileLoops-1:0] moved_q, moved_d;           // index is not 0
  logic                 repeats;
  logic [15:0]          index;                      // of the level that the word names; 0 if that loop is not open
  logic [15:0]          pc_next;

  always_comb begin
    index   = '0;
    repeats = 1'b0;
    if (is_end || is_unit) begin
      index   = moved_q[level] ? index_q[level] : 16'd0;
      repeats = index != last_q[level];
    end
  end
  assign pc_next = pc_q + 16'd1;

  always_ff @(posedge clk_i) begin
    if (is_loop) begin
      last_q[level] <= 16'(covenant_pkg::operand_last(word_q));
      body_q[level] <= pc_next;
    end
  end

  always_ff @(posedge clk_i) begin
    if (is_end) index_q[level] <= index + 16'd1;
  end

  always_comb begin
    reduction_d = '0;
    moved_d     = '0;
    if (is_loop || is_end) begin
      reduction_d        = reduction_q;
      moved_d            = moved_q;
      reduction_d[level] = is_loop ? covenant_pkg::operand_reduction(word_q) != 32'd0 : reduction_q[level] && repeats;
      moved_d[level]     = is_end && repeats;
    end
  end
  assign reduction_first_o = ~|(reduction_q & moved_q);
  assign tile_end_o        = is_end;
  assign tile_repeats_o    = repeats;
  assign tile_level_o      = level;
  assign stride_index_o    = index;

  // Progress.
  logic        done;            // the word's last cycle
  logic        first_q;         // the word's first cycle
  logic [31:0] stall_q;
  assign done  = valid_q && (is_unit ? unit_ready_i : (!is_wait || token_i));
  assign moves = done || start_i;

  always_comb begin
    pc_d          = '0;
    buffer_d      = '0;
    valid_d       = 1'b0;
    fetch_address = '0;
    if (moves) begin
      buffer_d      = start_i ? start_buffer_i : buffer_q;
      pc_d          = start_i ? 16'd0 : (is_end && repeats) ? body_q[level] : pc_next;
      valid_d       = pc_d != count_q[32'(buffer_d)*16 +: 16];
      fetch_address = MemoryWidth'(32'(buffer_d) * InstructionDepth + 32'(pc_d));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pc_q        <= '0;
      buffer_q    <= 1'b0;
      valid_q     <= 1'b0;
      first_q     <= 1'b0;
      stall_q     <= '0;
      reduction_q <= '0;
      moved_q     <= '0;
    end else begin
      first_q <= moves && valid_d;
      if (moves) begin
        pc_q    <= pc_d;
        buffer_q <= buffer_d;
        valid_q <= valid_d;
      end
      if (is_wait) stall_q <= token_i ? 32'd0 : stall_q + 32'd1;
      if (is_loop || is_end || start_i) begin
        reduction_q <= reduction_d;
        moved_q     <= moved_d;
      end
    end
  end

  // Unit and tokens.
  assign unit_valid_o     = is_unit;
  assign unit_operation_o = operation_q;
  assign unit_word_o      = word_q;
  assign fault_o          = is_unit && !unit_accepts_i;
  assign channel_o        = channel;
  assign wait_o           = is_wait;
  assign post_issue_o     = is_post;

  logic        line_in, line_out, line_post, line_busy;
  logic [31:0] line_channel;
  assign line_in = is_post || (is_unit && is_pipelined && done);

  covenant_delay #(
    .Width (33),
    .Cycles(Depth - 1)
  ) u_line (
    .clk_i,
    .rst_ni,
    .valid_i(line_in),
    .data_i ({is_post, channel_o}),
    .valid_o(line_out),
    .data_o ({line_post, line_channel}),
    .busy_o (line_busy)
  );
  assign post_o         = line_out && line_post;
  assign post_channel_o = line_channel;
  assign busy_o         = valid_q || line_busy;

  // Observers.
  logic retire_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      retire_q <= 1'b0;
    end else begin
      retire_q <= line_out;
    end
  end
  assign issue_o           = is_wait ? token_i : first_q;
  assign issue_index_o     = pc_q;
  assign issue_word_o      = word_q;
  assign issue_stall_o     = stall_q;
  assign issue_pipelined_o = is_post || (is_unit && is_pipelined);
  assign retire_o          = retire_q;

`ifndef SYNTHESIS
  // Never more than a group's words, never a wait after an unfinished word.
  logic in_range;
  assign in_range = pc_q < count_q[32'(buffer_q)*16 +: 16];
  PcInRange_A: assert property (@(posedge clk_i) disable iff (!rst_ni) valid_q |-> in_range);
  StartsIdle_A: assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> !busy_o);
  TakesOnWait_A: assert property (@(posedge clk_i) disable iff (!rst_ni) token_i |-> is_wait);
`endif

endmodule
