// Where a command is in the tiles of its four operands: the words base, stride and trip, the inner loops of a command,
// and the addresses of its operands (docs/reference/units/address_generator.md).
//
// `address_o` holds the addresses in the current iteration, in units of each operand's memory and from the start of a
// buffer. The next iteration comes with `step_i`.
module covenant_tile_walk #(
  parameter bit          HighOperands = 1'b0,  // words call its operands 4 ... 7, not 0 ... 3
  parameter int unsigned Nested       = 4,     // operands that inner loops move: the first ones
  parameter int unsigned InnerLoops   = 7,
  parameter int unsigned FirstInner   = 7,     // number of the first inner level in words
  parameter logic [3:0]  Buffered     = '1     // per operand, the last one first: it lies in buffers of a memory
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,            // a block starts
  input  covenant_pkg::command_t   command_i,
  output logic                     accepts_o,          // the word is base, stride or trip
  input  logic                     active_i,           // the word is a command
  input  logic                     step_i,
  output logic                     last_o,             // this is the last iteration
  output logic                     reduction_first_o,  // inner loops marked as reductions are at 0
  output logic [InnerLoops*16-1:0] index_o,            // of inner loops
  output logic [4*32-1:0]          address_o,
  output logic [4*covenant_pkg::SlotBits-1:0] slot_o   // channel whose buffers the operand uses
);

  localparam int unsigned LoopWidth = $clog2(InnerLoops);
  localparam int unsigned SlotBits  = covenant_pkg::SlotBits;

  // Words.
  logic                is_base, is_stride, is_trip, is_own, reduces;
  logic [2:0]          operand;
  logic [SlotBits-1:0] slot;
  logic [4:0]          level;
  logic [2:0]          part;
  logic [31:0]         value;
  logic [15:0]         last;

  always_comb begin
    is_base   = 1'b0;
    is_stride = 1'b0;
    is_trip   = 1'b0;
    is_own    = 1'b0;
    reduces   = 1'b0;
    accepts_o = 1'b0;
    operand   = '0;
    slot      = '0;
    level     = '0;
    part      = '0;
    value     = '0;
    last      = '0;
    if (command_i.valid) begin
      is_base   = command_i.operation == covenant_pkg::OpBase;
      is_stride = command_i.operation == covenant_pkg::OpStride;
      is_trip   = command_i.operation == covenant_pkg::OpTrip;
      accepts_o = is_base || is_stride || is_trip;
      reduces   = covenant_pkg::operand_reduction(command_i.word) != 32'd0;
      operand   = 3'(covenant_pkg::operand_operand(command_i.word));
      is_own    = operand[2] == HighOperands;
      slot      = SlotBits'(covenant_pkg::operand_slot(command_i.word));
      level     = 5'(covenant_pkg::operand_level(command_i.word));
      part      = 3'(covenant_pkg::operand_half(command_i.word));
      value     = covenant_pkg::operand_value(command_i.word);
      last      = 16'(covenant_pkg::operand_last(command_i.word));
    end
  end

  logic unused;
  assign unused = &{1'b0, command_i.reduction_first, command_i.post_issue, command_i.channel};

  // Inner loops.
  logic                  first;
  logic [LoopWidth-1:0]  carry;
  logic [InnerLoops-1:0] unused_zero, unused_last;

  covenant_nest #(
    .Levels(InnerLoops)
  ) u_nest (
    .clk_i,
    .rst_ni,
    .clear_i,
    .trip_i          (is_trip),
    .trip_level_i    (LoopWidth'(level - 5'(FirstInner))),
    .trip_last_i     (last),
    .trip_reduction_i(reduces),
    .active_i,
    .step_i,
    .carry_o         (carry),
    .first_o         (first),
    .last_o,
    .reduction_first_o,
    .at_zero_o       (unused_zero),
    .at_last_o       (unused_last),
    .index_o
  );

  // Addresses within a buffer.
  covenant_address_generator #(
    .Operands  (4),
    .Nested    (Nested),
    .InnerLoops(InnerLoops),
    .FirstInner(FirstInner)
  ) u_address_generator (
    .clk_i,
    .rst_ni,
    .clear_i,
    .base_i        (is_base && is_own),
    .stride_i      (is_stride && is_own),
    .operand_i     (operand[1:0]),
    .part_i        (part),
    .level_i       (level),
    .value_i       (value),
    .index_i       (command_i.stride_index),
    .tile_end_i    (command_i.tile_end),
    .tile_repeats_i(command_i.tile_repeats),
    .tile_level_i  (command_i.tile_level),
    .step_i,
    .first_i       (first),
    .carry_i       (carry),
    .address_o
  );

  // Channels of operands in buffers.
  for (genvar i = 0; i < 4; i++) begin : gen_operands
    if (Buffered[i]) begin : gen_slot
      logic [SlotBits-1:0] slot_q;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          slot_q <= '0;
        end else if (clear_i) begin
          slot_q <= '0;
        end else if (is_base && is_own && (operand[1:0] == 2'(i))) begin
          slot_q <= slot;
        end
      end
      assign slot_o[i*SlotBits +: SlotBits] = slot_q;
    end else begin : gen_no_slot
      assign slot_o[i*SlotBits +: SlotBits] = '0;
    end
  end

endmodule
