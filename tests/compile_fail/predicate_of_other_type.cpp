// error: constraints not satisfied|no matching function
// A predicate must take an element of the input.
#include <string>
#include <vector>

#include "upsweep/compact.hpp"

void pack(upsweep::cpu::executor& ex, std::vector<int>& x) {
    upsweep::compact_if(ex, x, x, [](const std::string& word) { return word.empty(); });
}
