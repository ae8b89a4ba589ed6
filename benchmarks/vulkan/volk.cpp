// volk's functions.
#define VOLK_IMPLEMENTATION
#include <volk.h>
