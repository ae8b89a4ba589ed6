// The scan of each tile with what comes before it, in a single pass: see tile_scan_look_back.glsl.
#define UPSWEEP_LOOK_BACK
#include "tile_scan.comp"
