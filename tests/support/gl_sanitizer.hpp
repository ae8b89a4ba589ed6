// Mesa's drivers are not built for ThreadSanitizer, which therefore misses how their threads take turns: what
// it says about their code is left out. Its search for deadlocks gives up where a thread holds 64 mutexes, as
// Mesa's compiler does.
#pragma once

#include "support/build.hpp"

#if UPSWEEP_TEST_THREAD_SANITIZER
extern "C" const char* __tsan_default_suppressions();  // ThreadSanitizer's own name
extern "C" __attribute__((weak)) const char* __tsan_default_suppressions() {
    return "race:swrast_dri.so\nrace:libgallium\nrace:libvulkan_lvp.so\n"
           "called_from_lib:swrast_dri.so\n";
}
extern "C" const char* __tsan_default_options();
extern "C" __attribute__((weak)) const char* __tsan_default_options() { return "detect_deadlocks=0"; }
#endif
