// Token counters of all channels (docs/reference/units/sequencer.md): one for `full` and one for `free` of every slot
// of every scratchpad. Counter (memory * Slots + slot) * 2 + token.
//
// An engine that waits takes its token in the first cycle in which there is one. A token posted in cycle c is counted
// from cycle c + 1 on. Engines are served in parallel: a counter has one poster and one waiter, so no request is ever
// refused.
module covenant_channel #(
  parameter int unsigned NumEngines  = 2,
  parameter int unsigned NumMemories = 1,
  parameter int unsigned CountWidth  = 2,
  parameter logic [NumMemories*8-1:0] Buffers = '0  // buffers of each memory; 0: it has no channels
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,       // a block starts: all buffers are free, none is full
  input  logic [NumEngines-1:0]    wait_i,
  input  logic [NumEngines*32-1:0] wait_counter_i,
  output logic [NumEngines-1:0]    token_o,       // it has a token, and takes it
  input  logic [NumEngines-1:0]    post_i,
  input  logic [NumEngines*32-1:0] post_counter_i,
  output logic                     overflow_o     // a post makes more tokens than there are buffers
);

  localparam int unsigned OfMemory    = covenant_pkg::Slots * 2;
  localparam int unsigned NumCounters = NumMemories * OfMemory;
  localparam int unsigned Width       = $clog2(NumCounters);

  logic [NumCounters*CountWidth-1:0] count_q, count_d, start;
  logic [(1<<Width)-1:0]             some_q, some_d;          // per counter: it is not 0
  logic                              changes;

  always_comb begin
    for (int unsigned c = 0; c < NumCounters; c++) begin
      start[c*CountWidth +: CountWidth] = (c % 2 == 1) ? CountWidth'(Buffers[(c/OfMemory)*8 +: 8]) : '0;
    end
  end

  always_comb begin
    token_o = '0;
    for (int unsigned e = 0; e < NumEngines; e++) begin
      if (wait_i[e]) token_o[e] = some_q[Width'(wait_counter_i[e*32 +: 32])];
    end
  end
  assign changes = clear_i || (|{token_o, post_i});

  always_comb begin
    count_d    = '0;
    some_d     = '0;
    overflow_o = 1'b0;
    if (changes) begin
      count_d = count_q;
      for (int unsigned e = 0; e < NumEngines; e++) begin
        if (token_o[e]) begin
          count_d[32'(Width'(wait_counter_i[e*32 +: 32]))*CountWidth +: CountWidth] =
              count_d[32'(Width'(wait_counter_i[e*32 +: 32]))*CountWidth +: CountWidth] - 1'b1;
        end
        if (post_i[e]) begin
          count_d[32'(Width'(post_counter_i[e*32 +: 32]))*CountWidth +: CountWidth] =
              count_d[32'(Width'(post_counter_i[e*32 +: 32]))*CountWidth +: CountWidth] + 1'b1;
        end
      end
      for (int unsigned e = 0; e < NumEngines; e++) begin
        if (post_i[e] && (32'(count_d[32'(Width'(post_counter_i[e*32 +: 32]))*CountWidth +: CountWidth]) >
                          32'(Buffers[(32'(Width'(post_counter_i[e*32 +: 32])) / OfMemory)*8 +: 8]))) begin
          overflow_o = !clear_i;
        end
      end
      if (clear_i) count_d = start;
      for (int unsigned c = 0; c < NumCounters; c++) some_d[c] = count_d[c*CountWidth +: CountWidth] != '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      some_q  <= '0;
    end else if (changes) begin
      count_q <= count_d;
      some_q  <= some_d;
    end
  end

endmodule
