// The total of each segment, which is what an inclusive scan has for its last element: the last stage of such a scan, which
// stores that alone (store_totals.glsl).
#define UPSWEEP_TOTALS
#include "tile_scan.comp"
