// Tracks the buffer of each channel of one memory that an engine works on: advances with every token that the engine
// posts.
module covenant_pointer #(
  parameter int unsigned Memory    = 0,          // index in the machine's list of memories
  parameter int unsigned Buffers     = 2,        // buffers of the memory
  parameter int unsigned BufferUnits = 1024      // addresses of one buffer
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  input  logic         post_i,
  input  logic [31:0]  counter_i,                // (memory * Slots + slot) * 2 + token
  output logic [covenant_pkg::Slots*32-1:0] offset_o  // per slot: first address of the buffer
);

  localparam int unsigned SlotBits = covenant_pkg::SlotBits;

  logic [covenant_pkg::Slots*32-1:0] offset_q, offset_d;
  logic            turns;

  always_comb begin
    turns    = 1'b0;
    offset_d = '0;
    if (post_i) turns = counter_i[31:SlotBits+1] == (31-SlotBits)'(Memory);
    if (turns && !clear_i) begin
      offset_d = offset_q;
      for (int unsigned s = 0; s < covenant_pkg::Slots; s++) begin
        if (counter_i[SlotBits:1] == SlotBits'(s)) begin
          offset_d[s*32 +: 32] = (offset_q[s*32 +: 32] == BufferUnits * (Buffers - 1)) ? 32'd0
                                                                                       : offset_q[s*32 +: 32] + BufferUnits;
        end
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, counter_i[0]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      offset_q <= '0;
    end else if (turns || clear_i) begin
      offset_q <= offset_d;
    end
  end

  assign offset_o = offset_q;

endmodule
