// One executor for the process, replaced when another number of threads is wanted.
#include "python/module/threads.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <utility>

namespace upsweep::python {
namespace {

// Guarded by the GIL. Calls that run hold the device that they began with.
std::shared_ptr<registry::device>& shared_processor() {
    static std::shared_ptr<registry::device> made;
    return made;
}

void set_threads(std::size_t threads) {
    auto made = std::make_shared<registry::device>("cpu", threads);
    std::swap(shared_processor(), made);
    const nanobind::gil_scoped_release released;
    made.reset();  // waits for its threads to end, if no call has it
}

// A child process has the memory of the executor but none of its threads, which could not even be joined: it
// is given up as it is.
void forget_after_fork() {
    static_cast<void>(new std::shared_ptr<registry::device>(std::move(shared_processor())));
    shared_processor() = nullptr;
}

}  // namespace

std::shared_ptr<registry::device> processor() {
    auto& made = shared_processor();
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
