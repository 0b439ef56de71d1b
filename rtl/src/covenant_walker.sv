// Address of one operand (docs/reference/units/walker.md): base + sum over levels of index * stride, 32 bits, wrapping.
//
// Tile loops belong to the sequencer, which says what happens to them; inner loops to a covenant_nest that steps with
// `step_i`. Everything is incremental: the share of each tile loop is kept as a product, so that an index that advances
// costs one addition. Only a stride set while its loop runs needs the one multiplier.
// `address_o` is the operand's address in the current iteration, combinationally.
module covenant_walker #(
  parameter int unsigned TileLoops  = 7,
  parameter int unsigned InnerLoops = 7,   // 0: the operand depends on tile loops only
  parameter int unsigned FirstInner = 7,   // number of the first inner level in words
  parameter int unsigned NestLevels = 7,
  parameter int unsigned CarryWidth = $clog2(NestLevels)  // do not override
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  // Words base and stride of this operand.
  input  logic                  base_i,
  input  logic                  stride_i,
  input  logic                  high_i,        // the half that `value_i` sets; the low half clears the high one
  input  logic [4:0]            level_i,       // of stride_i
  input  logic [15:0]           value_i,
  input  logic [15:0]           index_i,       // index of tile loop level_i
  // Tile loops.
  input  logic                  tile_advance_i,
  input  logic                  tile_close_i,
  input  logic [2:0]            tile_level_i,
  // Inner loops.
  input  logic                  step_i,
  input  logic                  first_i,       // this is the first iteration
  input  logic [CarryWidth-1:0] carry_i,       // level that the step advances
  output logic [31:0]           address_o
);

  // Nothing changes while the operand rests.
  logic busy;
  assign busy = clear_i || base_i || stride_i || tile_advance_i || tile_close_i;

  logic [31:0]          base_q, base_d;
  logic [31:0]          sum_q, sum_d;              // of all tile loops' shares
  logic [31:0]          tile_stride_q [TileLoops];
  logic [31:0]          product_q [TileLoops];     // index * stride of each tile loop
  logic [TileLoops-1:0] stride_set_q, stride_set_d, product_set_q, product_set_d;  // what is not set reads 0

  logic [31:0] tile_address;
  assign tile_address = base_q + sum_q;

  // Tile loops.
  logic        tile_stride_we, product_we;
  logic [2:0]  tile_index;                         // level that is read and written in this cycle
  logic [31:0] old_stride, old_product, new_stride, new_product;

  always_comb begin
    tile_stride_we = 1'b0;
    product_we     = 1'b0;
    tile_index     = '0;
    old_stride     = '0;
    old_product    = '0;
    new_stride     = '0;
    new_product    = '0;
    sum_d          = '0;
    base_d         = '0;
    stride_set_d   = '0;
    product_set_d  = '0;
    if (busy && !clear_i) begin
      tile_stride_we = stride_i && (level_i < 5'(TileLoops));
      product_we     = tile_stride_we || tile_advance_i || tile_close_i;
      tile_index     = stride_i ? level_i[2:0] : tile_level_i;
      old_stride     = stride_set_q[tile_index] ? tile_stride_q[tile_index] : 32'd0;
      old_product    = product_set_q[tile_index] ? product_q[tile_index] : 32'd0;
      new_stride     = high_i ? {value_i, old_stride[15:0]} : {16'd0, value_i};
      sum_d          = sum_q;
      base_d         = base_q;
      stride_set_d   = stride_set_q;
      product_set_d  = product_set_q;
      if (tile_stride_we) begin
        new_product              = 32'(index_i) * new_stride;
        stride_set_d[tile_index] = 1'b1;
      end else if (tile_advance_i) begin
        new_product = old_product + old_stride;
      end
      if (product_we) begin
        sum_d                     = sum_q + new_product - old_product;
        product_set_d[tile_index] = 1'b1;
      end
      if (base_i) base_d = high_i ? {value_i, base_q[15:0]} : {16'd0, value_i};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      base_q        <= '0;
      sum_q         <= '0;
      stride_set_q  <= '0;
      product_set_q <= '0;
    end else if (busy) begin
      base_q        <= base_d;
      sum_q         <= sum_d;
      stride_set_q  <= stride_set_d;
      product_set_q <= product_set_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (tile_stride_we) tile_stride_q[tile_index] <= new_stride;
    if (product_we) product_q[tile_index] <= new_product;
  end

  // Inner loops.
  if (InnerLoops == 0) begin : gen_flat
    logic unused;
    assign unused    = &{1'b0, step_i, first_i, carry_i};
    assign address_o = tile_address;
  end else begin : gen_inner
    logic [InnerLoops*32-1:0] stride_q, stride_d;
    logic [InnerLoops*32-1:0] start_q, start_d;  // address where the current iteration of each level began
    logic [31:0]              next;
    logic                     sets;

    assign address_o = first_i ? tile_address : start_q[(InnerLoops-1)*32 +: 32];
    assign sets      = clear_i || stride_i;

    always_comb begin
      next    = '0;
      start_d = '0;
      if (step_i) begin
        next = (first_i ? tile_address : start_q[32'(carry_i)*32 +: 32]) + stride_q[32'(carry_i)*32 +: 32];
        for (int unsigned l = 0; l < InnerLoops; l++) begin
          start_d[l*32 +: 32] = (CarryWidth'(l) >= carry_i) ? next : first_i ? tile_address : start_q[l*32 +: 32];
        end
      end
    end

    always_comb begin
      stride_d = '0;
      if (sets && !clear_i) begin
        stride_d = stride_q;
        for (int unsigned l = 0; l < InnerLoops; l++) begin
          if (level_i == 5'(FirstInner + l)) begin
            stride_d[l*32 +: 32] = high_i ? {value_i, stride_q[l*32 +: 16]} : {16'd0, value_i};
          end
        end
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        stride_q <= '0;
        start_q  <= '0;
      end else begin
        if (sets) stride_q <= stride_d;
        if (step_i) start_q <= start_d;
      end
    end
  end

`ifndef SYNTHESIS
  OneWord_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(base_i && stride_i));
  OneLoopEvent_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
                                   32'(tile_advance_i) + 32'(tile_close_i) + 32'(stride_i) <= 32'd1);
`endif

endmodule
