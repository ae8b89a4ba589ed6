// One executor for the process, replaced when another number of threads is wanted.
#include "python/module/threads.hpp"

#include <nanobind/stl/string.h>

#include <mutex>
#include <string>
#include <utility>

namespace upsweep::python {
namespace {

// Calls that run hold the device that they began with. Some come without the GIL (XLA's), hence the lock.
struct shared_device {
    std::mutex guard;
    std::shared_ptr<registry::device> made;
};

shared_device*& shared() {
    static auto* now = new shared_device;
    return now;
}

void set_threads(std::size_t threads) {
    auto made = std::make_shared<registry::device>("cpu", threads);
    {
        const std::lock_guard lock(shared()->guard);
        std::swap(shared()->made, made);
    }
    const nanobind::gil_scoped_release released;
    made.reset();  // waits for its threads to end, if no call has it
}

// A child process has the memory of the executor but none of its threads, which could not even be joined: it
// is given up as it is, and so is the lock, which one of them may hold.
void forget_after_fork() { shared() = new shared_device; }

}  // namespace

std::shared_ptr<registry::device> processor() {
    const std::lock_guard lock(shared()->guard);
    auto& made = shared()->made;
    if (!made) made = std::make_shared<registry::device>("cpu");
    return made;
}

void add_threads(nanobind::module_& module) {
    module.def("get_threads", [] { return processor()->threads(); });
    module.def("set_threads", &set_threads, nanobind::arg("threads"));
    module.def("simd", [] { return std::string(processor()->simd()); });
    module.def("forget_after_fork", &forget_after_fork);
}

}  // namespace upsweep::python
