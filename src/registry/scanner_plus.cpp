// The scanners of plus, for every accumulator type it is defined for.
#include "registry/scanner-impl.hpp"

namespace upsweep::registry {
template std::unique_ptr<scanner> make_scanner_of<plus>(cpu::executor&, const scan_request&);
}
