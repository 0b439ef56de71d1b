// Observer of covenant_fetch: the words that became visible to the fetch unit in this cycle, and the kind of each.
module covenant_observe_fetch (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  covenant_pkg::fill_t                    fill_i,
  input  logic                                   ended_i,  // the first word that is neither of a group nor its header
  // Kinds: 0 nothing, 1 word, 2 last word of a group, 3 header, 4 end of a block.
  output logic [covenant_pkg::FetchWords*3-1:0]  kind_o,
  output logic [covenant_pkg::FetchWords*covenant_pkg::WordWidth-1:0] word_o
);

  localparam int unsigned FetchWords = covenant_pkg::FetchWords;

  logic                     any, ended;
  logic [15:0]              remaining_q, remaining_d;  // words of the current group still to come
  logic [FetchWords*3-1:0]  kind, kind_q;
  logic [FetchWords*covenant_pkg::WordWidth-1:0] word_q;
  logic                     unused;
  assign any    = ended_i || (|fill_i.valid) || (|fill_i.header);
  assign unused = &{1'b0, fill_i.engine, fill_i.operation};

  always_comb begin
    remaining_d = remaining_q;
    kind        = '0;
    ended       = 1'b0;
    if (any) begin
      for (int unsigned s = 0; s < FetchWords; s++) begin
        if (fill_i.header[s]) begin
          remaining_d    = fill_i.index[s*16 +: 16];
          kind[s*3 +: 3] = 3'd3;
        end else if (fill_i.valid[s]) begin
          remaining_d    = remaining_d - 16'd1;
          kind[s*3 +: 3] = (remaining_d == 16'd0) ? 3'd2 : 3'd1;
        end else if (ended_i && !ended) begin
          ended          = 1'b1;
          kind[s*3 +: 3] = 3'd4;
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      remaining_q <= '0;
      kind_q      <= '0;
      word_q      <= '0;
    end else begin
      kind_q <= kind;
      if (any) begin
        remaining_q <= remaining_d;
        word_q      <= fill_i.word;
      end
    end
  end
  assign kind_o = kind_q;
  assign word_o = word_q;

endmodule
