// Counters of a loop nest: one iteration for each cycle with `step_i`, level 0 outermost.
//
// Outside a run all indices are 0. `carry_o` names the level that the step to the next iteration advances (all deeper
// ones return to 0); it is undefined with `last_o`. Trips hold until set again or cleared. All outputs except the
// indices are undefined without `active_i`.
module covenant_nest #(
  parameter int unsigned Levels     = 8,
  parameter int unsigned LevelWidth = $clog2(Levels)  // do not override
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,         // all trips to one iteration
  input  logic                  trip_i,          // level trip_level_i runs 0..trip_last_i
  input  logic [LevelWidth-1:0] trip_level_i,
  input  logic [15:0]           trip_last_i,
  input  logic                  trip_reduction_i,
  input  logic                  active_i,        // the outputs are used in this cycle
  input  logic                  step_i,
  output logic [LevelWidth-1:0] carry_o,
  output logic                  first_o,         // all indices are 0
  output logic                  last_o,          // all indices are at their last value
  output logic                  reduction_first_o, // marked levels that run more than once are at 0
  output logic [Levels-1:0]     at_zero_o,       // per level
  output logic [Levels-1:0]     at_last_o,
  output logic [Levels*16-1:0]  index_o
);

  logic [Levels*16-1:0] index_q, index_d;
  logic [Levels*16-1:0] last_q, last_d;
  logic [Levels-1:0]    reduction_q, reduction_d;

  // State of the nest.
  always_comb begin
    at_zero_o         = '0;
    at_last_o         = '0;
    carry_o           = '0;
    first_o           = 1'b0;
    last_o            = 1'b0;
    reduction_first_o = 1'b0;
    if (active_i) begin
      for (int unsigned l = 0; l < Levels; l++) begin
        at_zero_o[l] = index_q[l*16 +: 16] == 16'd0;
        at_last_o[l] = index_q[l*16 +: 16] == last_q[l*16 +: 16];
        if (!at_last_o[l]) carry_o = LevelWidth'(l);
      end
      first_o           = &at_zero_o;
      last_o            = &at_last_o;
      reduction_first_o = &(at_zero_o | ~reduction_q);
    end
  end
  assign index_o = index_q;

  always_comb begin
    index_d = '0;
    if (step_i) begin
      for (int unsigned l = 0; l < Levels; l++) begin
        if (last_o || (LevelWidth'(l) > carry_o)) begin
          index_d[l*16 +: 16] = '0;
        end else begin
          index_d[l*16 +: 16] = index_q[l*16 +: 16] + 16'(LevelWidth'(l) == carry_o);
        end
      end
    end
  end

  always_comb begin
    last_d      = '0;
    reduction_d = '0;
    if (trip_i && !clear_i) begin
      last_d                             = last_q;
      reduction_d                        = reduction_q;
      last_d[32'(trip_level_i)*16 +: 16] = trip_last_i;
      reduction_d[trip_level_i]          = trip_reduction_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      index_q     <= '0;
      last_q      <= '0;
      reduction_q <= '0;
    end else begin
      if (step_i) index_q <= index_d;
      if (trip_i || clear_i) begin
        last_q      <= last_d;
        reduction_q <= reduction_d;
      end
    end
  end

`ifndef SYNTHESIS
  StepIsActive_A: assert property (@(posedge clk_i) disable iff (!rst_ni) step_i |-> active_i);
`endif

endmodule
