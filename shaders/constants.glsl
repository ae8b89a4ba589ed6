// The numbers on which a stage and its host must agree: bindings, the words of the parameter block, flags, types.
// Only preprocessor lines, because C++ reads this file too (src/shader/stages.hpp).

// Storage buffers. A user's predicate has its own from UPSWEEP_FIRST_FREE_BINDING on (descriptor set 1 in Vulkan).
#define UPSWEEP_INPUT 0
#define UPSWEEP_OUTPUT 1
#define UPSWEEP_WORKSPACE 2
#define UPSWEEP_TOTAL 3
#define UPSWEEP_LENGTH 4
#define UPSWEEP_BINDINGS 5
#define UPSWEEP_FIRST_FREE_BINDING 5
// Of bins: their thresholds.
#define UPSWEEP_THRESHOLDS UPSWEEP_TOTAL
// Of a sort: the words that go along with keys, and where they go. (The length is in the workspace then.)
#define UPSWEEP_VALUES UPSWEEP_LENGTH
#define UPSWEEP_MOVED_VALUES UPSWEEP_TOTAL

// Words of the parameter block. Counts and indices are in elements of the buffer they belong to, from the first
// byte that is bound.
#define UPSWEEP_P_GROUPS 0         // work groups of this dispatch that have work; the dispatch may have more
#define UPSWEEP_P_FLAGS 1          // UPSWEEP_F_...
#define UPSWEEP_P_LENGTH 2         // elements, from the first one that this dispatch covers to its last
#define UPSWEEP_P_INPUT_FIRST 3    // where position 0 of this dispatch is in the input
#define UPSWEEP_P_OUTPUT_FIRST 4   // and in the output
#define UPSWEEP_P_FIRST_GROUP 5    // tiles (batches, blocks) of the sequence before this dispatch
#define UPSWEEP_P_SUPERS 6         // where the totals of supers (sums of blocks) begin in the workspace
#define UPSWEEP_P_BEFORE 7         // elements before this dispatch; only with UPSWEEP_F_LENGTH
#define UPSWEEP_P_MAXIMUM 8        // what a length from a buffer is limited to
#define UPSWEEP_P_LENGTH_INDEX 9   // where the length is, in words
#define UPSWEEP_P_TOTAL_INDEX 10   // where the total goes
#define UPSWEEP_P_CARRY 11         // where S stands in the workspace between two dispatches of super_prefixes
#define UPSWEEP_P_INITIAL 12       // four words
#define UPSWEEP_P_POLLS 16         // look_back: how often a total is asked for before it is computed
#define UPSWEEP_P_RECORD_WORDS 16  // compact: words of a record, 0 to write indices
#define UPSWEEP_P_CAPACITY 17      // compact: records kept at most
#define UPSWEEP_P_VERTICES 18      // compact: vertices of an instance, 0 to draw items as vertices
#define UPSWEEP_P_GROUP_ITEMS 19   // compact: items of a work group of the dispatch that the arguments describe
#define UPSWEEP_P_GROUPS_X 20      // compact: largest x of that dispatch
// Splits and sorts, which have nothing to compact and no initial value.
#define UPSWEEP_P_VALUES_FIRST 12  // sort: where the value of item 0 is
#define UPSWEEP_P_MOVED_FIRST 13   // sort: where the value of place 0 goes
#define UPSWEEP_P_SHIFT 14         // sort: the lowest bit of the digit
#define UPSWEEP_P_BINS 17          // bins; split: at most UPSWEEP_MOST_BINS
#define UPSWEEP_P_TILES 18         // split: tiles, which is how far apart the counts of two bins are
// Radix selections, whose room for candidates is at UPSWEEP_P_CAPACITY. Digits are told by their lowest bit in a key with the
// index in 32 bits below it; UPSWEEP_P_SHIFT is that of the one to count.
#define UPSWEEP_P_WANTED 15         // k
#define UPSWEEP_P_INDEX_SHIFT 16    // the highest one of an index
#define UPSWEEP_P_COUNTED_SHIFT 18  // the one that was counted last
#define UPSWEEP_P_PASS 19           // digits that were counted before
// select_rows: rows lie one behind the other, and UPSWEEP_P_LENGTH is the length of one.
#define UPSWEEP_P_ROWS 18        // of this dispatch
#define UPSWEEP_P_GROUP_ROWS 19  // of a work group
// repeat, whose other words are those of compact; the number of results is at UPSWEEP_P_CARRY.
#define UPSWEEP_P_OFFSETS_FIRST 12  // where the results of each element begin, in the workspace
#define UPSWEEP_P_USER 21          // four words for a user's keep and move, or bin

// Along an axis (UPSWEEP_AXIS) there are many sequences of one length. The words of their own are those of lengths from
// buffers and of compact in other stages. Strides are of elements, modulo 2^32.
#define UPSWEEP_P_SEQUENCE_TILES 8  // tiles of a sequence
#define UPSWEEP_P_SHAPE_FIRST 9     // where the outer dimensions begin among the words behind the workspace
#define UPSWEEP_P_SEQUENCES 16      // of this dispatch
#define UPSWEEP_P_INPUT_STRIDE 17   // from an element of a sequence to the next, in the order of the scan
#define UPSWEEP_P_OUTPUT_STRIDE 18
#define UPSWEEP_P_DIMENSIONS 19     // besides the axis
#define UPSWEEP_P_SHAPE 20          // of the first dimensions, fastest first: extent, stride in the input, in the output
#define UPSWEEP_SHAPE_WORDS 12      // so many words of them; the rest of the shape is in the workspace

// Scans of segments (UPSWEEP_SEGMENTS).
#define UPSWEEP_P_HEADS_FIRST 9  // the word of this dispatch's first heads
#define UPSWEEP_P_WINDOW 19      // mark_offsets: positions whose heads are bound
#define UPSWEEP_P_HEADS_LENGTH 11  // mark_heads: where the length is, in words; only with UPSWEEP_F_LENGTH
// Totals of segments: UPSWEEP_P_CAPACITY says how many results there is room for, and UPSWEEP_P_TOTAL_INDEX where the
// numbers of segments begin (UPSWEEP_F_NUMBERED), or where it is said how many there are (UPSWEEP_F_LENGTH).
// run_lengths: UPSWEEP_P_CARRY is where the number of runs is.
// Sorts of segments, whose other words are those of sorts.
#define UPSWEEP_P_LEVEL 14      // segment_merge: merges stretches of 2^level tiles
#define UPSWEEP_P_ENDS 15       // where the ends of stretches begin in the workspace
#define UPSWEEP_P_NEXT_ENDS 16  // segment_merge: and those of what it makes

// Bins and histograms.
#define UPSWEEP_P_GROUP_TILES 10   // count_bins, segment_merge, radix selections: tiles of a work group
#define UPSWEEP_P_COPIES 11        // count_bins: of each counter in shared memory, a power of two
#define UPSWEEP_P_SLICE_BINS 19    // count_bins: bins for which a work group has counters
#define UPSWEEP_P_SLICES 20        // count_bins: slices of this dispatch; UPSWEEP_P_FIRST_GROUP others are before them
#define UPSWEEP_P_BOTTOM 25        // two words: what is below this key is in front of the bins
#define UPSWEEP_P_TOP 27           // two words: what is above this one is behind them
#define UPSWEEP_P_GUESS_FROM 29    // a float: where bin 0 begins
#define UPSWEEP_P_GUESS_SCALE 30   // a float: bins in one unit of the elements
#define UPSWEEP_P_ROOM 31          // bins_move: items that are kept at most

#define UPSWEEP_PARAMETERS 32

#define UPSWEEP_F_EXCLUSIVE 1u
#define UPSWEEP_F_REVERSE 2u
#define UPSWEEP_F_INITIAL 4u     // the initial value counts
#define UPSWEEP_F_TOTAL 8u       // this dispatch has the last element and writes the total
#define UPSWEEP_F_LENGTH 16u     // the length is in a buffer
#define UPSWEEP_F_LAST 32u       // super_totals: one batch holds everything, so write S for each super;
                                 // blelloch_scan: one block holds everything, so there are no sums
#define UPSWEEP_F_CONTINUED 64u  // super_prefixes: S stands in the workspace; lane_scan: the state does
#define UPSWEEP_F_PARTITION 128u  // compact: what was not kept follows what was
#define UPSWEEP_F_VECTORS 256u    // compact: records are whole, aligned vectors of four words
#define UPSWEEP_F_SWAP 512u       // later operands on the left: with UPSWEEP_F_REVERSE, and above the lowest level of
                                  // Blelloch's scan, where sums of a reversed sequence lie in order
// Splits and sorts.
#define UPSWEEP_F_SIGNED 1024u       // keys are signed integers
#define UPSWEEP_F_FLOATING 2048u     // keys are floating-point numbers
#define UPSWEEP_F_DESCENDING 4096u
#define UPSWEEP_F_KEYS 8192u         // keys are moved
#define UPSWEEP_F_VALUES 16384u      // a word goes along with each key
#define UPSWEEP_F_INDICES 32768u     // that word is the item's number; sort_gather: there are indices; sorts of segments: an
                                     // index goes along with each key, and is the result
#define UPSWEEP_F_WHOLE 65536u       // sorts of segments: all is one, and there are no heads
// Scans along an axis and of segments, where the same bits mean something else.
#define UPSWEEP_F_TURNED 1024u    // lane_scan: invocations exchange what they load and store
#define UPSWEEP_F_CONTINUES 2048u  // lane_scan: the sequences go on in a later dispatch, for which the state is kept
#define UPSWEEP_F_SEGMENT_INITIAL 4096u  // the initial value counts, in front of each segment
#define UPSWEEP_F_HEAD_FLAGS 8192u       // mark_heads: segments begin where a word is not zero
#define UPSWEEP_F_SEGMENT_KEYS 16384u    // mark_heads: or where a key, of UPSWEEP_P_RECORD_WORDS words, is another
#define UPSWEEP_F_FLOATING_KEYS 32768u   // keys are compared as floating-point numbers
#define UPSWEEP_F_COUNTED 65536u         // mark_heads: heads are counted, tile by tile
#define UPSWEEP_F_FIRST_TOO 131072u      // mark_heads: position 0 begins a segment only if its key is another, too
#define UPSWEEP_F_NUMBERED 262144u       // segment_totals: the k-th result belongs to the segment with the k-th number
#define UPSWEEP_F_ARGUMENTS 524288u      // compact: nothing is moved, only the arguments are written
#define UPSWEEP_F_LAST_FIRST 1048576u    // look_back: the last tile first, which no host asks for but in tests
#define UPSWEEP_F_ONLY_TOTAL 2097152u    // nothing but the total is stored; tile_scan: the last tile alone is read
// Bins and histograms.
#define UPSWEEP_F_CLAMP 65536u          // what is in front of or behind the bins belongs to the first or the last one
#define UPSWEEP_F_GUESS 131072u         // a guess is worth trying
#define UPSWEEP_F_NEAR_TABLE 262144u    // count_bins: shared memory has room for the thresholds
#define UPSWEEP_F_FAR_COUNTERS 524288u  // count_bins: shared memory has no room for counters

// Specialisation constants in Vulkan. In OpenGL the host defines UPSWEEP_TYPE, UPSWEEP_LINE, UPSWEEP_TRAITS,
// UPSWEEP_INPUT_TYPE, where elements are converted, and UPSWEEP_BLELLOCH_SIZE in front of the text.
#define UPSWEEP_C_TYPE 0
#define UPSWEEP_C_LINE 1    // the operator's line in operators.def, from 0
#define UPSWEEP_C_TRAITS 2
#define UPSWEEP_C_INPUT_TYPE 3
#define UPSWEEP_C_BLELLOCH_SIZE 4    // invocations of a work group
#define UPSWEEP_C_BLELLOCH_PADDED 5  // twice that, rounded up to a power of two

// Element types. The stages hold an element of the first three as a uint, of the others as a uvec2.
#define UPSWEEP_T_UINT 0
#define UPSWEEP_T_INT 1
#define UPSWEEP_T_FLOAT 2
#define UPSWEEP_T_UINT64 3
#define UPSWEEP_T_INT64 4
#define UPSWEEP_T_AFFINE 5  // affine_map<float>
#define UPSWEEP_T_DOUBLE 6

// Types of the input: the element's, or one that is converted to it (UPSWEEP_C_INPUT_TYPE).
#define UPSWEEP_I_SAME 0
#define UPSWEEP_I_UINT8 1
#define UPSWEEP_I_INT8 2
#define UPSWEEP_I_UINT16 3
#define UPSWEEP_I_INT16 4
#define UPSWEEP_I_FLOAT16 5
#define UPSWEEP_I_BFLOAT16 6
#define UPSWEEP_I_UINT 7
#define UPSWEEP_I_INT 8
#define UPSWEEP_I_FLOAT 9

// What is known about an operator on a type (UPSWEEP_C_TRAITS).
#define UPSWEEP_EXACT 1u        // every grouping gives the same bits
#define UPSWEEP_NEUTRAL 2u      // the identity changes no bit of the other operand
#define UPSWEEP_COMMUTATIVE 4u  // op(a, b) is op(b, a) in every bit

// Bins of a split, as many as a work group has invocations.
#define UPSWEEP_MOST_BINS 256

// Words of keys that an invocation of a sort of segments has.
#define UPSWEEP_STRIP_WORDS 8

// What each pass of a radix selection has in the workspace, in words: what was known in front of it, then the counts of its
// digits.
#define UPSWEEP_SELECTION_COUNTS 8
#define UPSWEEP_SELECTION_WORDS (UPSWEEP_SELECTION_COUNTS + UPSWEEP_MOST_BINS)

// Elements for which a work group of select_rows has room, a power of two; and words of a row between two dispatches.
#define UPSWEEP_SELECTED 1024
#define UPSWEEP_ROW_STATE_WORDS 4

// Offsets of segments that an invocation loads before it uses one.
#define UPSWEEP_OFFSETS_AHEAD 4

// Results that a work group of repeat stores.
#define UPSWEEP_REPEAT_PLACES 2048

// Words of shared memory for the counters of bins and their thresholds: 16 KiB, all that every device has.
#define UPSWEEP_TALLY_WORDS 4096
#define UPSWEEP_NO_BIN 0xffffffffu

// The arguments that compact and partition write, in words.
#define UPSWEEP_A_DRAW 0      // vertices, instances, first vertex, first instance
#define UPSWEEP_A_DISPATCH 4  // x, y, z
#define UPSWEEP_A_COUNT 7     // items kept, at most the capacity
#define UPSWEEP_A_FOUND 8     // items that the predicate chose
#define UPSWEEP_A_REJECTED 9  // the others
#define UPSWEEP_A_WORDS 12
