// error: static assertion failed|static_assert failed
// What an executor runs must not throw: nobody on its threads could catch it.
#include "upsweep/cpu/executor.hpp"

void run(upsweep::cpu::executor& ex) {
    auto work = [] {};
    ex.run(1, work);
}
