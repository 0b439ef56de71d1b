// Instruction memory, program counter, tile loops and tokens of one engine (docs/reference/units/sequencer.md).
//
// Executes one word a cycle, in order. Loops and tokens are executed here; every other word is passed to the unit as
// `command_o.valid` until the unit asserts `ready_i` in the last cycle of its occupancy (combinationally, in the same
// cycle, if that is 1). `Depth` cycles after a post its token is visible; words whose effect ends a pipeline (load,
// store, gemm, SIMD nests) retire through the same line. In an engine of off-chip memory that line is the queue of its
// data path, which may be full. The instruction memory is read one cycle ahead; it holds each word with its operation,
// decoded by the fetch unit.
module covenant_sequencer #(
  parameter int unsigned Engine           = 0,    // position in the machine's list of engines
  parameter int unsigned Depth            = 1,    // cycles from the end of a word's occupancy to its effect being visible
  parameter bit          Queued           = 1'b0, // or it is reported at retirement_i
  parameter int unsigned InstructionDepth = 1024  // words of one buffer
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // Fetch unit.
  input  covenant_pkg::fill_t    fill_i,
  input  covenant_pkg::blocks_t  blocks_i,
  output logic                   busy_o,         // a command has not retired
  output logic                   fault_o,        // a word that this engine cannot execute
  // Unit.
  output covenant_pkg::command_t command_o,
  input  logic                   ready_i,
  input  logic                   accepts_i,      // it knows the operation
  input  covenant_pkg::retirement_t retirement_i, // if Queued
  // Tokens.
  output logic                   wait_o,         // for a token of command_o.channel
  input  logic                   token_i,        // it has one, and the engine takes it
  output logic                   post_o,         // a token, to be visible in the next cycle
  output logic [31:0]            post_channel_o
);

  localparam int unsigned FetchWords  = covenant_pkg::FetchWords;
  localparam int unsigned WordWidth   = covenant_pkg::WordWidth;
  localparam int unsigned MemoryWidth = $clog2(2 * InstructionDepth);
  localparam int unsigned TileLoops   = 8;   // one more than there are: three bits name no other
  localparam int unsigned Group       = 16;  // simulators unroll short loops only
  localparam int unsigned FetchGroups = (FetchWords + Group - 1) / Group;

  // Instruction memory. One process reads before it writes, with blocking assignments, as in covenant_scratchpad.
  logic [WordWidth-1:0]     memory [2*InstructionDepth];
  covenant_pkg::operation_t operations [2*InstructionDepth];
  logic [WordWidth-1:0]     word_q;
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
    if (|fill_i.valid) begin
      for (int unsigned g = 0; g < FetchGroups; g++) begin
        for (int unsigned i = 0; i < Group; i++) begin
          if (g*Group + i < FetchWords) begin
            if (fill_i.valid[g*Group + i] && (fill_i.engine[(g*Group + i)*8 +: 8] == 8'(Engine))) begin
              memory[MemoryWidth'(32'(blocks_i.fill_buffer) * InstructionDepth + 32'(fill_i.index[(g*Group + i)*16 +: 16]))] =
                  fill_i.word[(g*Group + i)*WordWidth +: WordWidth];
              operations[MemoryWidth'(32'(blocks_i.fill_buffer) * InstructionDepth +
                                      32'(fill_i.index[(g*Group + i)*16 +: 16]))] =
                  fill_i.operation[(g*Group + i)*covenant_pkg::OperationWidth +: covenant_pkg::OperationWidth];
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
    if (|fill_i.header) begin
      for (int unsigned s = 0; s < FetchWords; s++) begin
        if (fill_i.header[s] && (fill_i.engine[s*8 +: 8] == 8'(Engine))) begin
          header_valid = 1'b1;
          header_count = fill_i.index[s*16 +: 16];
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else if (blocks_i.fill_begin || header_valid) begin
      count_q[32'(blocks_i.fill_buffer)*16 +: 16] <= blocks_i.fill_begin ? 16'd0 : header_count;
    end
  end

  // Decoded word: its operation and operands.
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
        channel = {(31 - covenant_pkg::SlotBits)'(covenant_pkg::operand_memory(word_q)),
                   covenant_pkg::SlotBits'(covenant_pkg::operand_slot(word_q)),
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
  logic [15:0]          index;                      // index of the level that the word names; 0 if that loop is not
                                                    // open
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

  // Progress.
  logic        room;            // for a post
  logic        done;            // the word's last cycle
  assign done  = valid_q && (is_unit ? ready_i : is_post ? room : (!is_wait || token_i));
  assign moves = done || blocks_i.start;

  always_comb begin
    pc_d          = '0;
    buffer_d      = '0;
    valid_d       = 1'b0;
    fetch_address = '0;
    if (moves) begin
      buffer_d      = blocks_i.start ? blocks_i.start_buffer : buffer_q;
      pc_d          = blocks_i.start ? 16'd0 : (is_end && repeats) ? body_q[level] : pc_next;
      valid_d       = pc_d != count_q[32'(buffer_d)*16 +: 16];
      fetch_address = MemoryWidth'(32'(buffer_d) * InstructionDepth + 32'(pc_d));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pc_q        <= '0;
      buffer_q    <= 1'b0;
      valid_q     <= 1'b0;
      reduction_q <= '0;
      moved_q     <= '0;
    end else begin
      if (moves) begin
        pc_q    <= pc_d;
        buffer_q <= buffer_d;
        valid_q <= valid_d;
      end
      if (is_loop || is_end || blocks_i.start) begin
        reduction_q <= reduction_d;
        moved_q     <= moved_d;
      end
    end
  end

  // Unit and tokens.
  assign command_o.valid           = is_unit;
  assign command_o.operation       = operation_q;
  assign command_o.word            = word_q;
  assign command_o.tile_end        = is_end;
  assign command_o.tile_repeats    = repeats;
  assign command_o.tile_level      = level;
  assign command_o.stride_index    = index;
  assign command_o.reduction_first = ~|(reduction_q & moved_q);
  assign command_o.post_issue      = is_post && room;
  assign command_o.channel         = channel;
  assign fault_o                   = is_unit && !accepts_i;
  assign wait_o                    = is_wait;

  logic        line_out, line_post, line_busy;
  logic [31:0] line_channel;
  if (Queued) begin : gen_queued
    logic unused;
    assign unused       = &{1'b0, is_pipelined};
    assign room         = retirement_i.room;
    assign line_out     = retirement_i.post;  // transfers leave it, too, but only posts matter here
    assign line_post    = 1'b1;
    assign line_channel = retirement_i.channel;
    assign line_busy    = retirement_i.busy;
  end else begin : gen_line
    logic line_in, unused;
    assign unused  = &{1'b0, retirement_i};
    assign room    = 1'b1;
    assign line_in = is_post || (is_unit && is_pipelined && done);

    covenant_delay #(
      .Width (33),
      .Cycles(Depth - 1)
    ) u_line (
      .clk_i,
      .rst_ni,
      .valid_i(line_in),
      .data_i ({is_post, channel}),
      .valid_o(line_out),
      .data_o ({line_post, line_channel}),
      .busy_o (line_busy)
    );
  end
  assign post_o         = line_out && line_post;
  assign post_channel_o = line_channel;
  assign busy_o         = valid_q || line_busy;

`ifndef SYNTHESIS
  // Never more than a group's words, never a wait after an unfinished word.
  logic in_range;
  assign in_range = pc_q < count_q[32'(buffer_q)*16 +: 16];
  PcInRange_A: assert property (@(posedge clk_i) disable iff (!rst_ni) valid_q |-> in_range);
  StartsIdle_A: assert property (@(posedge clk_i) disable iff (!rst_ni) blocks_i.start |-> !busy_o);
  TakesOnWait_A: assert property (@(posedge clk_i) disable iff (!rst_ni) token_i |-> is_wait);
`endif

endmodule
