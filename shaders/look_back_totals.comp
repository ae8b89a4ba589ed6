// The totals of segments in a single pass: see tile_scan_look_back.glsl.
#define UPSWEEP_LOOK_BACK
#define UPSWEEP_TOTALS
#include "tile_scan.comp"
