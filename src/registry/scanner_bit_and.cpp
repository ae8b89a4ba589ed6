// The scanners of bit_and, for every accumulator type it is defined for.
#include "registry/scanner-impl.hpp"

namespace upsweep::registry {
template std::unique_ptr<scanner> make_scanner_of<bit_and>(cpu::executor&, const scan_request&);
}
