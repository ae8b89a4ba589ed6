// error: constraints not satisfied|no matching function
// with_identity needs an identity that its callable combines.
#include <string>

#include "upsweep/operators.hpp"

auto made = upsweep::with_identity([](int a, int b) { return a < b ? b : a; }, std::string("none"));
