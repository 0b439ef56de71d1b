// Addresses of all operands of an engine (docs/reference/units/address_generator.md): base + sum over levels of index *
// stride, 32 bits, wrapping.
//
// Tile loops belong to the sequencer, which signals their events; inner loops belong to a covenant_nest that steps with
// `step_i` and moves the first `Nested` operands. All updates are incremental: the share of each tile loop is kept as a
// product, so that advancing an index costs one addition. Only a stride that is set while its loop runs needs the one
// multiplier. `address_o` are the operands' addresses in the current iteration. `clear_i` is the reset with which every
// block begins.
//
// All operands are in flat arrays local to one process with blocking assignments: a simulator then does nothing for an
// idle engine.
module covenant_address_generator #(
  parameter int unsigned Operands   = 4,
  parameter int unsigned Nested     = 4,   // operands that inner loops move: the first ones
  parameter int unsigned InnerLoops = 7,
  parameter int unsigned FirstInner = 7,   // number of the first inner level in words
  parameter int unsigned OperandWidth = Operands > 1 ? $clog2(Operands) : 1,  // do not override
  parameter int unsigned CarryWidth = $clog2(InnerLoops)                      // do not override
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,
  // Words base and stride of an operand.
  input  logic                    base_i,
  input  logic                    stride_i,
  input  logic [OperandWidth-1:0] operand_i,
  input  logic [2:0]              part_i,        // the part that `value_i` sets; it clears those above
  input  logic [4:0]              level_i,       // level of stride_i
  input  logic [31:0]             value_i,
  input  logic [15:0]             index_i,       // index of tile loop level_i
  // Tile loops.
  input  logic                    tile_end_i,    // the body of loop tile_level_i ends
  input  logic                    tile_repeats_i,
  input  logic [2:0]              tile_level_i,
  // Inner loops.
  input  logic                    step_i,
  input  logic                    first_i,       // this is the first iteration
  input  logic [CarryWidth-1:0]   carry_i,       // level that the step advances
  output logic [Operands*32-1:0]  address_o
);

  localparam int unsigned TileLoops   = 7;
  localparam int unsigned TilePlaces  = 8;                // places per operand in the arrays
  localparam int unsigned InnerPlaces = 1 << CarryWidth;
  localparam int unsigned NestedWidth = Nested > 1 ? $clog2(Nested) : 1;

  // Private to the process below. What a block has not set reads 0.
  logic [31:0] base [Operands];
  logic [31:0] sum [Operands];                        // sum of the shares of its tile loops
  logic [31:0] start [Nested*InnerPlaces];            // address where the current iteration of each inner loop began
  (* nomem2reg *)                                     // yosys: memories, not registers
  logic [31:0] tile_stride [Operands*TilePlaces];
  (* nomem2reg *)
  logic [31:0] product [Operands*TilePlaces];         // the share of each tile loop: index * stride
  (* nomem2reg *)
  logic [31:0] inner_stride [Nested*InnerPlaces];
  logic [Operands*TilePlaces-1:0] stride_set, product_set;
  logic [Nested*InnerPlaces-1:0]  inner_set;
  // Outputs to other processes.
  logic [Operands*32-1:0]     outer_q;                       // base + sum
  logic [Nested*32-1:0]       inner_q;                       // in the current iteration, if it is not the first
  logic                       configures;

  assign configures = base_i || stride_i || tile_end_i;

  // One clock edge, in tasks; each reads an array before it writes there.
  /* verilator lint_off BLKSEQ */
  task automatic set_tile_stride(input logic [OperandWidth+2:0] place);
    logic [31:0] old_stride, old_product, new_stride, new_product;
    old_stride         = stride_set[place] ? tile_stride[place] : 32'd0;
    old_product        = product_set[place] ? product[place] : 32'd0;
    new_stride         = covenant_pkg::with_part(old_stride, 32'(part_i), covenant_pkg::StridePart, value_i, 1'b0);
    new_product        = 32'(index_i) * new_stride;
    tile_stride[place] = new_stride;
    product[place]     = new_product;
    stride_set[place]  = 1'b1;
    product_set[place] = 1'b1;
    sum[operand_i]     = sum[operand_i] + new_product - old_product;
  endtask

  task automatic set_inner_stride(input logic [NestedWidth+CarryWidth-1:0] place);
    logic [31:0] old_stride;
    old_stride          = inner_set[place] ? inner_stride[place] : 32'd0;
    inner_stride[place] = covenant_pkg::with_part(old_stride, 32'(part_i), covenant_pkg::StridePart, value_i, 1'b0);
    inner_set[place]    = 1'b1;
  endtask

  task automatic end_tile();
    logic [31:0] old_product, new_product;
    for (int unsigned o = 0; o < Operands; o++) begin
      if (product_set[{OperandWidth'(o), tile_level_i}]) begin
        old_product = product[{OperandWidth'(o), tile_level_i}];
        new_product = tile_repeats_i ? old_product + tile_stride[{OperandWidth'(o), tile_level_i}] : 32'd0;
        product[{OperandWidth'(o), tile_level_i}] = new_product;
        sum[o] = sum[o] + new_product - old_product;
      end
    end
  endtask

  task automatic step();
    logic [31:0] now, next;
    for (int unsigned o = 0; o < Nested; o++) begin
      now  = first_i ? outer_q[o*32 +: 32] : start[{NestedWidth'(o), carry_i}];
      next = now + (inner_set[{NestedWidth'(o), carry_i}] ? inner_stride[{NestedWidth'(o), carry_i}] : 32'd0);
      for (int unsigned l = 0; l < InnerPlaces; l++) begin
        if (CarryWidth'(l) >= carry_i) begin
          start[o*InnerPlaces + l] = next;
        end else if (first_i) begin
          start[o*InnerPlaces + l] = now;
        end
      end
      inner_q[o*32 +: 32] <= next;
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      for (int unsigned o = 0; o < Operands; o++) begin
        base[o] = '0;
        sum[o]  = '0;
      end
      stride_set  = '0;
      product_set = '0;
      inner_set   = '0;
      outer_q    <= '0;
    end else if (configures) begin
      if (base_i) begin
        base[operand_i] = covenant_pkg::with_part(base[operand_i], 32'(part_i), covenant_pkg::BasePart, value_i, 1'b0);
      end
      if (stride_i && (level_i < 5'(TileLoops))) set_tile_stride({operand_i, level_i[2:0]});
      if (stride_i && (32'(operand_i) < Nested) && (level_i >= 5'(FirstInner)) &&
          (level_i < 5'(FirstInner + InnerLoops))) begin
        set_inner_stride({NestedWidth'(operand_i), CarryWidth'(level_i - 5'(FirstInner))});
      end
      if (tile_end_i) end_tile();
      for (int unsigned o = 0; o < Operands; o++) outer_q[o*32 +: 32] <= base[o] + sum[o];
    end
    if (step_i) step();
  end
  /* verilator lint_on BLKSEQ */

  always_comb begin
    address_o = outer_q;
    if (!first_i) address_o[Nested*32-1:0] = inner_q;
  end

`ifndef SYNTHESIS
  OneWord_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(base_i && stride_i));
  OneLoopEvent_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(tile_end_i && (base_i || stride_i)));
`endif

endmodule
