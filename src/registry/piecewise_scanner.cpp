// Cuts blocks into pieces and keeps count.
#include "registry/piecewise_scanner.hpp"

#include <algorithm>
#include <utility>

#include "upsweep/error.hpp"

namespace upsweep::registry {

piecewise_scanner::piecewise_scanner(std::string device, const scan_request& request)
    : device_(std::move(device)), request_(request), held_(hold(request)) {
    const std::size_t bytes = request_.piece_bytes == 0 ? usual_piece_bytes : request_.piece_bytes;
    const std::size_t widest = std::max({in_size(), out_size(), size_of(held())});
    most_ = std::max<std::size_t>(1, bytes / widest / core::super_size) * core::super_size;
    restart();
}

void piecewise_scanner::scan(const void* in, void* out, std::size_t n) {
    if (n == 0) return;
    check_block(count_, core::super_size);
    try {
        for (std::size_t done = 0; done < n;) {
            const std::size_t count = std::min(most_, n - done);
            const std::size_t at = request_.reverse ? n - done - count : done;
            run({static_cast<const std::byte*>(in) + at * in_size(),
                 static_cast<std::byte*>(out) + at * out_size(), count});
            done += count;
            count_ += count;
        }
        total_ = from_held(finish(), request_.types.accumulator);
    } catch (...) {
        abandon();
        throw;
    }
}

void piecewise_scanner::scan_segments(const void*, const std::uint8_t*, void*, std::size_t) {
    throw_error(errc::unsupported,
                "device " + device_ + ": scans of groups are unsupported there; the cpu has them");
}
void piecewise_scanner::restart() {
    count_ = 0;
    total_ = from_held(held_.start, request_.types.accumulator);
}

}  // namespace upsweep::registry
