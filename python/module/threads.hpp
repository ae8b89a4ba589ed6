// The threads that calls share, and the interpreter's lock while they work.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <optional>

#include "registry/device.hpp"

namespace upsweep::python {

// The CPU with the threads of this process, made at the first call. A call keeps what it got until it ends.
// With or without the GIL.
[[nodiscard]] std::shared_ptr<registry::device> processor();

// Other Python threads run while it lives, unless the call touches few bytes: taking the lock back can take
// another thread's whole turn, which is 5 ms, so small calls do not give it away.
class unlocked {
  public:
    explicit unlocked(std::size_t bytes) {
        if (bytes >= least_bytes) released_.emplace();
    }

  private:
    static constexpr std::size_t least_bytes = std::size_t{1} << 14;
    std::optional<nanobind::gil_scoped_release> released_;
};

void add_threads(nanobind::module_& module);

}  // namespace upsweep::python
