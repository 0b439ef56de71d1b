// A software-managed memory (docs/reference/units/scratchpad.md): all its buffers, as one flat array of elements.
//
// Element e of the memory is bank e % Banks of row e / Banks. Ports are independent and never wait:
// - read ports return ReadElements elements from the requested one on, in the next cycle; elements past the end read 0;
// - write ports take WriteElements elements with a strobe for each byte, visible to reads of the next cycle;
// - skewed ports serve the column accumulators of a systolic array, as its bias or its output memory: column j reads
//   the sum j places after `skew_element_i`, j cycles after the request, and an output memory takes `skew_sum_i` for
//   it one cycle later. A read of what the same port writes in the same cycle gets the new value: this forwarding lets
//   steps follow one another at any distance.
//
// It does not arbitrate: two writes of one byte in one cycle are a bug of the compiler (a race).
module covenant_scratchpad #(
  parameter int unsigned DataBytes     = 4,     // bytes of an element
  parameter int unsigned Banks         = 16,
  parameter int unsigned Rows          = 2048,  // rows of all buffers
  parameter int unsigned NumReads      = 1,
  parameter int unsigned ReadElements  = 16,    // elements of the widest read port
  parameter int unsigned NumWrites     = 1,
  parameter int unsigned WriteElements = 16,    // elements of the widest write port
  parameter logic [NumReads*16-1:0]  ReadsOf  = {NumReads{16'(ReadElements)}},    // elements that each read port uses
  parameter logic [NumWrites*16-1:0] WritesOf = {NumWrites{16'(WriteElements)}},
  parameter int unsigned NumSkews      = 0,
  parameter int unsigned SkewColumns   = 1,     // columns of the widest skewed port
  parameter int unsigned SkewPorts     = NumSkews > 0 ? NumSkews : 1,  // do not override
  parameter logic [SkewPorts*16-1:0] ColumnsOf  = {SkewPorts{16'(SkewColumns)}},  // columns of each skewed port
  parameter logic [SkewPorts-1:0]    SkewWrites = '0  // which of them belong to an output memory
) (
  input  logic                                           clk_i,
  input  logic                                           rst_ni,
  input  logic [NumReads-1:0]                            read_valid_i,
  input  logic [NumReads*32-1:0]                         read_element_i,
  output logic [NumReads*ReadElements*DataBytes*8-1:0]   read_data_o,
  input  logic [NumWrites-1:0]                           write_valid_i,
  input  logic [NumWrites*32-1:0]                        write_element_i,
  input  logic [NumWrites*WriteElements*DataBytes*8-1:0] write_data_i,
  input  logic [NumWrites*WriteElements*DataBytes-1:0]   write_strobe_i,
  input  logic [SkewPorts-1:0]                           skew_valid_i,
  input  logic [SkewPorts*32-1:0]                        skew_element_i,   // element of column 0
  input  logic [SkewPorts*SkewColumns*32-1:0]            skew_sum_i,
  output logic [SkewPorts*SkewColumns*32-1:0]            skew_data_o
);

  localparam int unsigned Elements  = Banks * Rows;
  localparam int unsigned Width     = Elements > 1 ? $clog2(Elements) : 1;
  localparam int unsigned DataBits  = DataBytes * 8;
  localparam int unsigned SumElements = 4 / DataBytes;
  localparam int unsigned Sums      = SkewPorts * SkewColumns;

  // One process reads before it writes, with blocking assignments: a simulator then does nothing for a port at rest. To a
  // synthesiser it is a memory like any other (yosys must be told not to split it into registers).
  (* nomem2reg *)
  logic [DataBits-1:0] memory [Elements];

  // Reads and writes of the skewed ports in this cycle, port by port.
  logic [Sums-1:0]    skew_read_valid, skew_forward, skew_write_valid;
  logic [Sums*32-1:0] skew_read_element, skew_write_element;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    // Read ports.
    for (int unsigned p = 0; p < NumReads; p++) begin
      if (read_valid_i[p]) begin
        for (int unsigned i = 0; i < 32'(ReadsOf[p*16 +: 16]); i++) begin
          read_data_o[(p*ReadElements + i)*DataBits +: DataBits] <= memory[Width'(read_element_i[p*32 +: 32] + i)];
        end
        for (int unsigned i = 32'(ReadsOf[p*16 +: 16]); i < ReadElements; i++) begin
          read_data_o[(p*ReadElements + i)*DataBits +: DataBits] <= '0;
        end
      end
    end
    for (int unsigned s = 0; s < SkewPorts; s++) begin
      if (|skew_read_valid[s*SkewColumns +: SkewColumns]) begin
        for (int unsigned j = s*SkewColumns; j < s*SkewColumns + 32'(ColumnsOf[s*16 +: 16]); j++) begin
          if (SkewWrites[s] && skew_forward[j]) begin
            skew_data_o[j*32 +: 32] <= skew_sum_i[j*32 +: 32];
          end else begin
            for (int unsigned k = 0; k < SumElements; k++) begin
              skew_data_o[j*32 + k*DataBits +: DataBits] <= memory[Width'(skew_read_element[j*32 +: 32] + k)];
            end
          end
        end
      end
    end
    // Write ports. Byte by byte: neighbours in one element may belong to two ports.
    for (int unsigned p = 0; p < NumWrites; p++) begin
      if (write_valid_i[p]) begin
        for (int unsigned i = 0; i < 32'(WritesOf[p*16 +: 16]); i++) begin
          for (int unsigned b = 0; b < DataBytes; b++) begin
            if (write_strobe_i[(p*WriteElements + i)*DataBytes + b]) begin
              memory[Width'(write_element_i[p*32 +: 32] + i)][b*8 +: 8] =
                  write_data_i[((p*WriteElements + i)*DataBytes + b)*8 +: 8];
            end
          end
        end
      end
    end
    for (int unsigned s = 0; s < SkewPorts; s++) begin
      if (SkewWrites[s]) begin
        for (int unsigned j = s*SkewColumns; j < s*SkewColumns + 32'(ColumnsOf[s*16 +: 16]); j++) begin
          if (skew_write_valid[j]) begin
            for (int unsigned k = 0; k < SumElements; k++) begin
              memory[Width'(skew_write_element[j*32 +: 32] + k)] = skew_sum_i[j*32 + k*DataBits +: DataBits];
            end
          end
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // Skewed ports: requests travel from column to column; valid_d is for reads, valid_q for writes. So does the knowledge
  // that a request reads what the one before it writes: their addresses are the same in every column, or in none.
  if (NumSkews > 0) begin : gen_skewed
    for (genvar s = 0; s < SkewPorts; s++) begin : gen_port
      logic [SkewColumns-1:0]    valid_q, valid_d, forward_q, forward_d;
      logic [SkewColumns*32-1:0] element_q, element_d;  // element that column j read last

      logic forwards;
      assign forwards  = valid_q[0] && (skew_element_i[s*32 +: 32] == element_q[31:0]);
      assign valid_d   = SkewColumns'({valid_q, skew_valid_i[s]});
      assign forward_d = SkewColumns'({forward_q, forwards});

      always_comb begin
        element_d[31:0] = skew_element_i[s*32 +: 32];
        for (int unsigned j = 1; j < SkewColumns; j++) begin
          element_d[j*32 +: 32] = element_q[(j-1)*32 +: 32] + SumElements;
        end
      end

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          valid_q   <= '0;
          forward_q <= '0;
          element_q <= '0;
        end else begin
          valid_q <= valid_d;
          if (|valid_d) begin
            forward_q <= forward_d;
            element_q <= element_d;
          end
        end
      end

      assign skew_read_valid[s*SkewColumns +: SkewColumns]          = valid_d;
      assign skew_forward[s*SkewColumns +: SkewColumns]             = forward_d;
      assign skew_read_element[s*SkewColumns*32 +: SkewColumns*32]  = element_d;
      assign skew_write_valid[s*SkewColumns +: SkewColumns]         = SkewWrites[s] ? valid_q : '0;
      assign skew_write_element[s*SkewColumns*32 +: SkewColumns*32] = element_q;
    end
  end else begin : gen_plain
    logic unused;
    assign unused             = &{1'b0, rst_ni, skew_valid_i, skew_element_i, skew_sum_i};
    assign skew_read_valid    = '0;
    assign skew_forward       = '0;
    assign skew_read_element  = '0;
    assign skew_write_valid   = '0;
    assign skew_write_element = '0;
  end

endmodule
