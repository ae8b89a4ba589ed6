// The scanners of maximum, for every accumulator type it is defined for.
#include "registry/scanner-impl.hpp"

namespace upsweep::registry {
template std::unique_ptr<scanner> make_scanner_of<maximum>(cpu::executor&, const scan_request&);
}
