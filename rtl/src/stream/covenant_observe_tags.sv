// Finds the command that a write belongs to: the number of transfers that had ended when its beat or step began.
//
// A beat or step of cycle t writes in cycle t + Cycles; in a systolic array, at column j in cycle t + Cycles + j.
module covenant_observe_tags #(
  parameter int unsigned Cycles  = 1,
  parameter int unsigned Columns = 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  valid_i,      // a beat or a step that writes
  input  logic                  last_step_i,  // a transfer ends with it
  output logic [Columns*16-1:0] tag_o
);

  logic [15:0] tag_q, first;
  logic        unused_valid, unused_busy;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tag_q <= '0;
    end else if (last_step_i) begin
      tag_q <= tag_q + 16'd1;
    end
  end

  covenant_delay #(
    .Width (16),
    .Cycles(Cycles)
  ) u_line (
    .clk_i,
    .rst_ni,
    .valid_i,
    .data_i (tag_q),
    .valid_o(unused_valid),
    .data_o (first),
    .busy_o (unused_busy)
  );

  if (Columns == 1) begin : gen_one
    assign tag_o = first;
  end else begin : gen_columns
    logic [(Columns-1)*16-1:0] others_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        others_q <= '0;
      end else begin
        others_q <= tag_o[(Columns-1)*16-1:0];
      end
    end
    assign tag_o = {others_q, first};
  end

endmodule
