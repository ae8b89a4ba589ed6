// A relation between keys that is not transitive: it shows which keys are compared.
#pragma once

#include "upsweep/core/portability.hpp"

namespace upsweep::test {

struct near_each_other {
    UPSWEEP_HOST_DEVICE bool operator()(int a, int b) const { return a - b <= 1 && b - a <= 1; }
};

}  // namespace upsweep::test
