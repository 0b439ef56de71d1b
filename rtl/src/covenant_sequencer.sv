// Instruction memory, program counter, tile loops and tokens of one engine (docs/reference/units/sequencer.md).
//
// Executes one word a cycle, in order. Loops and tokens are executed here; every other word is shown to the unit as
// `unit_valid_o` until the unit says `unit_ready_i` in the last cycle of its occupancy (combinationally, in the same cycle
// if it is 1). `Depth` cycles after a post its token is visible; words whose effect ends a pipeline (load, store, gemm,
// SIMD nests) retire through the same line. The instruction memory is read one cycle ahead.
module covenant_sequencer #(
  parameter int unsigned Engine           = 0,     // position in the machine's list of engines
  parameter int unsigned Depth            = 1,     // cycles from the end of a word's occupancy to its effect being visible
  parameter int unsigned InstructionDepth = 1024,  // words of one half
  parameter int unsigned FetchWords       = 2      // words that arrive in one beat
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // Fetch unit: words, and the size of this engine's group.
  input  logic                     fill_half_i,
  input  logic                     fill_begin_i,       // a new block: no words yet
  input  logic [FetchWords-1:0]    fill_header_i,      // slot holds a group's header
  input  logic [FetchWords-1:0]    fill_valid_i,       // slot holds a word of a group
  input  logic [FetchWords*8-1:0]  fill_engine_i,      // per slot, of its group
  input  logic [FetchWords*16-1:0] fill_index_i,       // per slot: position in the group; of a header: words that follow
  input  logic [FetchWords*32-1:0] fill_word_i,
  // Blocks.
  input  logic                     start_i,            // the block of half start_half_i starts in the next cycle
  input  logic                     start_half_i,
  output logic                     busy_o,             // a command has not retired
  output logic                     fault_o,            // a word that this engine cannot execute
  // Unit.
  output logic                     unit_valid_o,
  output covenant_pkg::operation_e               unit_operation_o,
  output logic [31:0]              unit_word_o,
  input  logic                     unit_ready_i,
  input  logic                     unit_accepts_i,     // it knows the operation
  output logic                     tile_advance_o,     // the index of loop tile_level_o grows by one
  output logic                     tile_close_o,       // it returns to 0
  output logic [2:0]               tile_level_o,
  output logic [15:0]              stride_index_o,     // index of the loop that a stride word names
  output logic                     reduction_first_o,  // open loops marked as reductions are at 0
  // Tokens.
  output logic [31:0]              channel_o,          // counter that the word names
  input  logic                     token_i,            // it has a token
  output logic                     take_o,
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
  localparam int unsigned TileLoops   = 7;
  localparam int unsigned Group       = 16;  // simulators unroll short loops only
  localparam int unsigned FetchGroups = (FetchWords + Group - 1) / Group;

  // Instruction memory.
  logic [31:0]            memory [2*InstructionDepth];
  logic [31:0]            word_q;
  logic [MemoryWidth-1:0] fetch_address;
  logic [15:0]            count_q [2];
  logic                   half_q, half_d;
  logic [15:0]            pc_q, pc_d;
  logic                   valid_q, valid_d;

  always_ff @(posedge clk_i) begin
    for (int unsigned g = 0; g < FetchGroups; g++) begin
      for (int unsigned i = 0; i < Group; i++) begin
        if (g*Group + i < FetchWords) begin
          if (fill_valid_i[g*Group + i] && (fill_engine_i[(g*Group + i)*8 +: 8] == 8'(Engine))) begin
            memory[MemoryWidth'(32'(fill_half_i) * InstructionDepth + 32'(fill_index_i[(g*Group + i)*16 +: 16]))]
                <= fill_word_i[(g*Group + i)*32 +: 32];
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    word_q <= memory[fetch_address];
  end

  logic        header_valid;
  logic [15:0] header_count;
  always_comb begin
    header_valid = 1'b0;
    header_count = '0;
    for (int unsigned s = 0; s < FetchWords; s++) begin
      if (fill_header_i[s] && (fill_engine_i[s*8 +: 8] == 8'(Engine))) begin
        header_valid = 1'b1;
        header_count = fill_index_i[s*16 +: 16];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q[0] <= '0;
      count_q[1] <= '0;
    end else if (fill_begin_i) begin
      count_q[fill_half_i] <= '0;
    end else if (header_valid) begin
      count_q[fill_half_i] <= header_count;
    end
  end

  // Decode.
  covenant_pkg::operation_e  operation;
  logic [2:0]  level;
  logic [15:0] loop_last;
  logic        is_loop, is_end, is_wait, is_post, is_unit, is_pipelined;
  logic        reduces;
  logic [31:0] channel;

  always_comb begin
    operation    = covenant_pkg::OpInvalid;
    level        = '0;
    loop_last    = '0;
    reduces      = 1'b0;
    channel      = '0;
    is_loop      = 1'b0;
    is_end       = 1'b0;
    is_wait      = 1'b0;
    is_post      = 1'b0;
    is_unit      = 1'b0;
    is_pipelined = 1'b0;
    if (valid_q) begin
      operation    = covenant_pkg::decode(word_q);
      level        = 3'(covenant_pkg::operand_level(word_q));
      loop_last    = 16'(covenant_pkg::operand_last(word_q));
      reduces      = covenant_pkg::operand_reduction(word_q) != 32'd0;
      channel      = {29'(covenant_pkg::operand_memory(word_q)), 2'(covenant_pkg::operand_slot(word_q)),
                      1'(covenant_pkg::operand_token(word_q))};
      is_loop      = operation == covenant_pkg::OpLoop;
      is_end       = operation == covenant_pkg::OpEnd;
      is_wait      = operation == covenant_pkg::OpWait;
      is_post      = operation == covenant_pkg::OpPost;
      is_unit      = !is_loop && !is_end && !is_wait && !is_post;
      is_pipelined = covenant_pkg::is_pipelined_operation(operation);
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

  assign index   = moved_q[level] ? index_q[level] : 16'd0;
  assign repeats = index != last_q[level];
  assign pc_next = pc_q + 16'd1;

  always_ff @(posedge clk_i) begin
    if (is_loop) begin
      last_q[level] <= loop_last;
      body_q[level] <= pc_next;
    end
  end

  always_ff @(posedge clk_i) begin
    if (is_end) index_q[level] <= index + 16'd1;
  end

  always_comb begin
    reduction_d = reduction_q;
    moved_d     = moved_q;
    if (is_loop) begin
      reduction_d[level] = reduces;
      moved_d[level]     = 1'b0;
    end else if (is_end) begin
      reduction_d[level] = reduction_q[level] && repeats;
      moved_d[level]     = repeats;
    end
    if (start_i) begin
      reduction_d = '0;
      moved_d     = '0;
    end
  end
  assign reduction_first_o = ~|(reduction_q & moved_q);
  assign tile_advance_o    = is_end && repeats;
  assign tile_close_o      = is_end && !repeats;
  assign tile_level_o      = level;
  assign stride_index_o    = index;

  // Progress.
  logic done;            // the word's last cycle
  logic first_q, first_d;
  logic [31:0] stall_q, stall_d;
  assign done = valid_q && (is_unit ? unit_ready_i : (!is_wait || token_i));

  always_comb begin
    pc_d    = pc_q;
    half_d  = half_q;
    valid_d = valid_q;
    if (done) begin
      pc_d    = tile_advance_o ? body_q[level] : pc_next;
      valid_d = pc_d != count_q[half_q];
    end
    if (start_i) begin
      pc_d    = '0;
      half_d  = start_half_i;
      valid_d = count_q[start_half_i] != 16'd0;
    end
  end
  assign fetch_address = MemoryWidth'(32'(half_d) * InstructionDepth + 32'(pc_d));
  assign first_d       = done || start_i;
  assign stall_d       = (is_wait && !token_i) ? stall_q + 32'd1 : 32'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pc_q        <= '0;
      half_q      <= 1'b0;
      valid_q     <= 1'b0;
      first_q     <= 1'b0;
      stall_q     <= '0;
      reduction_q <= '0;
      moved_q     <= '0;
    end else begin
      pc_q        <= pc_d;
      half_q      <= half_d;
      valid_q     <= valid_d;
      first_q     <= first_d;
      stall_q     <= stall_d;
      reduction_q <= reduction_d;
      moved_q     <= moved_d;
    end
  end

  // Unit and tokens.
  assign unit_valid_o     = is_unit;
  assign unit_operation_o = operation;
  assign unit_word_o      = word_q;
  assign fault_o          = is_unit && !unit_accepts_i;
  assign channel_o        = channel;
  assign take_o           = is_wait && token_i;
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
  assign issue_o           = valid_q && (is_wait ? token_i : first_q);
  assign issue_index_o     = pc_q;
  assign issue_word_o      = word_q;
  assign issue_stall_o     = stall_q;
  assign issue_pipelined_o = is_post || (is_unit && is_pipelined);
  assign retire_o          = retire_q;

`ifndef SYNTHESIS
  // Never more than a group's words, never a wait behind an unfinished word.
  logic in_range;
  assign in_range = pc_q < count_q[half_q];
  PcInRange_A: assert property (@(posedge clk_i) disable iff (!rst_ni) valid_q |-> in_range);
  StartsIdle_A: assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> !busy_o);
`endif

endmodule
