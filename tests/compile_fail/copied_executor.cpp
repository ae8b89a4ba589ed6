// error: (use of|call to) deleted
// An executor owns threads.
#include "upsweep/cpu/executor.hpp"

upsweep::cpu::executor copy(const upsweep::cpu::executor& ex) { return ex; }
