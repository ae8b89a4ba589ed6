// An element as it lies in a buffer.
#if UPSWEEP_ELEMENT_WORDS == 1
#define stored uint
#elif UPSWEEP_ELEMENT_WORDS == 2
#define stored uvec2
#else
#define stored uvec4
#endif
