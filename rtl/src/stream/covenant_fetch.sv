// Instruction fetch and block control (docs/reference/units/control.md).
//
// Reads the program as a stream of beats, one request a cycle, and examines the words that a beat completes in
// parallel; a partial word waits for the next beat. Words are headers of groups, words of groups (which go straight to
// the instruction memories, with their decoded operations), or the end of a block. Beats requested past the end of a
// block are dropped when they arrive. One buffer of the instruction memories runs while the other is filled.
//
// Answers come in the order of their requests, each Latency cycles after its own at the earliest
// (docs/reference/off-chip-port.md); at most Places are in progress.
module covenant_fetch #(
  parameter int unsigned Latency = 40,
  parameter int unsigned Places  = 128  // a power of two
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  start_i,         // run the program at entry_i; the next cycle is cycle 0
  input  logic [31:0]           entry_i,
  output logic                  done_o,          // the last block is done
  output logic                  fault_o,         // an undefined word, or one in the wrong place
  // Off-chip port.
  output logic                  read_valid_o,
  output logic [31:0]           read_address_o,  // bytes
  input  logic                  read_ready_i,    // it takes the request
  input  logic                  answer_valid_i,  // answer to the oldest request
  output logic                  answer_ready_o,
  output logic                  answer_wanted_o, // it is of the block that is fetched
  input  logic [covenant_pkg::FetchBytes*8-1:0] read_data_i,
  // Sequencers.
  output covenant_pkg::fill_t   fill_o,
  output covenant_pkg::blocks_t blocks_o,
  output logic                  block_done_o,    // the running block is done in this cycle
  input  logic                  busy_i           // some engine has not finished
);

  localparam int unsigned FetchWords = covenant_pkg::FetchWords;
  localparam int unsigned WordWidth  = covenant_pkg::WordWidth;
  localparam int unsigned WordBytes  = WordWidth / 8;
  localparam int unsigned BeatBytes  = covenant_pkg::FetchBytes;
  localparam int unsigned Period     = covenant_pkg::FetchPeriod;

  typedef enum logic [1:0] {
    StIdle,   // nothing to fetch
    StWait,   // for a buffer to be free
    StFetch
  } state_e;

  state_e      state_q, state_d;
  logic [31:0] request_q, request_d;     // address of the next request
  logic [31:0] response_q, response_d;   // address of the next answer
  logic        response_valid, loads;

  // Requests under way, and of which block. At most those of two: a block has all its answers after those of the one before.
  logic room, asks, oldest, of_now, unused_busy;
  logic parity_q;   // parity of the block that is being fetched
  assign asks = read_valid_o && read_ready_i;

  covenant_queue #(
    .Width (1),
    .Places(Places),
    .Cycles(Latency)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .room_o (room),
    .valid_i(asks),
    .data_i (parity_q),
    .valid_o(oldest),
    .data_o (of_now),
    .ready_i(answer_valid_i),
    .busy_o (unused_busy)
  );
  assign answer_ready_o = oldest;
  assign answer_wanted_o = oldest && (of_now == parity_q);
  assign response_valid  = answer_valid_i && answer_wanted_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      parity_q <= 1'b0;
    end else if (loads) begin
      parity_q <= !parity_q;
    end
  end

  // The words that a beat completes. Blocks begin where a word and a beat do, which is every `Period` beats.
  logic                            ended;
  logic [FetchWords*WordWidth-1:0] words;
  logic [FetchWords-1:0]           complete;
  logic [31:0]                     next_block;  // address of the block after the one that ends in this beat

  if (Period == 1) begin : gen_whole
    assign words      = read_data_i;
    assign complete   = '1;
    assign next_block = response_q + BeatBytes;
  end else begin : gen_parts
    localparam int unsigned Whole = BeatBytes / WordBytes;  // words in every beat
    localparam int unsigned Rest  = BeatBytes % WordBytes;  // and remaining bytes
    localparam int unsigned Width = (WordBytes + BeatBytes) * 8;
    localparam logic [FetchWords-1:0] All = '1;             // one more than `Whole`
    logic [WordWidth-1:0] part_q, part_d;  // bytes of a partial word from earlier beats; zeros above
    logic [5:0]           held_q, held_d;  // bytes of it
    logic [5:0]           beat_q;          // beats since a word and a beat began together
    logic                 more;            // than `Whole` words are complete
    logic [Width-1:0]     joined;

    assign more   = 32'(held_q) + Rest >= WordBytes;
    assign joined = (Width'(read_data_i) << {held_q, 3'd0}) | Width'(part_q);
    assign held_d = 6'(32'(held_q) + Rest - (more ? WordBytes : 32'd0));
    assign part_d = more ? WordWidth'(joined >> ((Whole + 1) * WordWidth)) : WordWidth'(joined >> (Whole * WordWidth));
    assign words  = joined[FetchWords*WordWidth-1:0];
    assign next_block = response_q + BeatBytes * (Period - 32'(beat_q));
    assign complete   = more ? All : All >> 1;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        part_q <= '0;
        held_q <= '0;
        beat_q <= '0;
      end else if (response_valid) begin
        part_q <= ended ? '0 : part_d;
        held_q <= ended ? '0 : held_d;
        beat_q <= (ended || (32'(beat_q) == Period - 1)) ? '0 : beat_q + 6'd1;
      end
    end
  end

  // Meaning of the words, in order.
  logic [15:0]             remaining_q, remaining_d;  // words of the current group still to come
  logic [15:0]             position_q, position_d;
  logic [7:0]              engine_q, engine_d;
  logic                    is_last, bad_word;
  covenant_pkg::operation_t operation;

  always_comb begin
    remaining_d   = '0;
    position_d    = '0;
    engine_d      = '0;
    ended         = 1'b0;
    is_last       = 1'b0;
    bad_word      = 1'b0;
    fill_o        = '0;
    operation     = '0;
    if (response_valid) begin
      remaining_d = remaining_q;
      position_d  = position_q;
      engine_d    = engine_q;
      fill_o.word = words;
      for (int unsigned s = 0; s < FetchWords; s++) begin
        operation = covenant_pkg::decode(words[s*WordWidth +: WordWidth]);
        fill_o.operation[s*covenant_pkg::OperationWidth +: covenant_pkg::OperationWidth] = operation;
        if (complete[s] && !ended) begin
          if (remaining_d != 16'd0) begin
            fill_o.valid[s]           = 1'b1;
            fill_o.engine[s*8 +: 8]   = engine_d;
            fill_o.index[s*16 +: 16]  = position_d;
            remaining_d               = remaining_d - 16'd1;
            position_d                = position_d + 16'd1;
          end else if (operation == covenant_pkg::OpGroup) begin
            engine_d                  = 8'(covenant_pkg::operand_engine(words[s*WordWidth +: WordWidth]));
            remaining_d               = 16'(covenant_pkg::operand_count(words[s*WordWidth +: WordWidth]));
            position_d                = '0;
            fill_o.header[s]          = 1'b1;
            fill_o.engine[s*8 +: 8]   = engine_d;
            fill_o.index[s*16 +: 16]  = remaining_d;
          end else begin
            ended                     = 1'b1;
            bad_word                  = operation != covenant_pkg::OpBlockEnd;
            is_last                   = covenant_pkg::operand_last(words[s*WordWidth +: WordWidth]) != 32'd0;
          end
        end
      end
    end
  end

  // Blocks: how many buffers are taken, how many of them wait to run.
  logic [1:0] taken_q, taken_d, loaded_q, loaded_d;
  logic       fill_buffer_q, fill_buffer_d, run_buffer_q, run_buffer_d;
  logic [1:0] last_q, last_d;                          // per buffer: its block is the last one
  logic       running_q, running_d, done_q, done_d, fault_q;
  logic       begins, starts, finishes, moves;

  assign finishes = running_q && !busy_i;
  assign starts   = (loaded_q != 2'd0) && (!running_q || finishes);
  assign begins   = (state_q == StWait) && ((taken_q != 2'd2) || finishes);
  assign loads    = response_valid && ended;
  assign moves    = (state_q == StFetch) || begins || starts || finishes || start_i;

  always_comb begin
    state_d     = state_q;
    request_d   = request_q;
    response_d  = response_q;
    fill_buffer_d = fill_buffer_q;
    run_buffer_d  = run_buffer_q;
    last_d      = last_q;
    running_d   = running_q;
    done_d      = done_q;
    taken_d     = taken_q;
    loaded_d    = loaded_q;
    if (moves) begin
      unique case (state_q)
        StIdle: begin
          if (start_i) begin
            state_d    = StFetch;
            request_d  = entry_i;
            response_d = entry_i;
            done_d     = 1'b0;
          end
        end
        StWait: begin
          if (begins) state_d = StFetch;
        end
        StFetch: begin
          if (asks) request_d = request_q + BeatBytes;
          if (response_valid) response_d = response_q + BeatBytes;
          if (loads) begin
            state_d             = (is_last || bad_word) ? StIdle : StWait;
            request_d           = next_block;
            response_d          = next_block;
            last_d[fill_buffer_q] = is_last;
            fill_buffer_d         = ~fill_buffer_q;
          end
        end
        default: state_d = StIdle;
      endcase
      if (finishes) begin
        running_d = 1'b0;
        done_d    = last_q[run_buffer_q];
      end
      if (starts) running_d = 1'b1;
      if (finishes) run_buffer_d = ~run_buffer_q;
      taken_d  = taken_q + 2'(begins || ((state_q == StIdle) && start_i)) - 2'(finishes);
      loaded_d = loaded_q + 2'(loads && !bad_word) - 2'(starts);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= StIdle;
      request_q   <= '0;
      response_q  <= '0;
      taken_q     <= '0;
      loaded_q    <= '0;
      fill_buffer_q <= 1'b0;
      run_buffer_q  <= 1'b0;
      last_q      <= '0;
      running_q   <= 1'b0;
      done_q      <= 1'b0;
    end else if (moves) begin
      state_q     <= state_d;
      request_q   <= request_d;
      response_q  <= response_d;
      taken_q     <= taken_d;
      loaded_q    <= loaded_d;
      fill_buffer_q <= fill_buffer_d;
      run_buffer_q  <= run_buffer_d;
      last_q      <= last_d;
      running_q   <= running_d;
      done_q      <= done_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      remaining_q <= '0;
      position_q  <= '0;
      engine_q    <= '0;
      fault_q     <= 1'b0;
    end else begin
      if (response_valid) begin
        remaining_q <= remaining_d;
        position_q  <= position_d;
        engine_q    <= engine_d;
      end
      if (bad_word) fault_q <= 1'b1;
    end
  end

  assign read_valid_o   = (state_q == StFetch) && room;
  assign read_address_o = request_q;
  assign blocks_o.fill_buffer  = fill_buffer_q;
  assign blocks_o.fill_begin   = begins || ((state_q == StIdle) && start_i);
  assign blocks_o.start        = starts;
  assign blocks_o.start_buffer = finishes ? ~run_buffer_q : run_buffer_q;
  assign block_done_o   = finishes;
  assign done_o         = done_q;
  assign fault_o        = fault_q;

`ifndef SYNTHESIS
  LegalState_A: assert property (@(posedge clk_i) disable iff (!rst_ni) state_q inside {StIdle, StWait, StFetch});
  TwoBuffers_A: assert property (@(posedge clk_i) disable iff (!rst_ni) taken_q != 2'd3 && loaded_q <= taken_q);
`endif

endmodule
