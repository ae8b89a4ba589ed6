// Switching stacks, and telling AddressSanitizer.
#include "emulator/fiber.hpp"

#include <boost/context/protected_fixedsize_stack.hpp>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "upsweep/error.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define UPSWEEP_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UPSWEEP_ADDRESS_SANITIZER
#endif
#endif
#ifdef UPSWEEP_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace upsweep::emulator {

#ifdef UPSWEEP_ADDRESS_SANITIZER
void fiber::leave(sanitizer_view* own, const sanitizer_view& other) {
    __sanitizer_start_switch_fiber(own != nullptr ? &own->fake_stack : nullptr, other.bottom, other.size);
}
void fiber::arrive(const sanitizer_view* own, sanitizer_view* other) {
    __sanitizer_finish_switch_fiber(own != nullptr ? own->fake_stack : nullptr,
                                    other != nullptr ? &other->bottom : nullptr,
                                    other != nullptr ? &other->size : nullptr);
}
#else
void fiber::leave(sanitizer_view* /*own*/, const sanitizer_view& /*other*/) {}
void fiber::arrive(const sanitizer_view* /*own*/, sanitizer_view* /*other*/) {}
#endif

fiber::fiber(std::size_t stack_bytes) {
    boost::context::protected_fixedsize_stack stacks(stack_bytes);
    const boost::context::stack_context stack = stacks.allocate();
    inside_view_.bottom = static_cast<const char*>(stack.sp) - stack.size;
    inside_view_.size = stack.size;
    inside_ =
        boost::context::fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack),
                              stacks, [this](boost::context::fiber&& outside) {
                                  outside_ = std::move(outside);
                                  arrive(nullptr, &outside_view_);
                                  // Entered without a job, it ends.
                                  while (job_ != nullptr) {
                                      job_();
                                      job_ = nullptr;
                                      suspend();
                                  }
                                  leave(nullptr, outside_view_);
                                  return std::move(outside_);
                              });
}

fiber::~fiber() {
    job_ = nullptr;
    resume();
}

void fiber::resume() {
    leave(&outside_view_, inside_view_);
    inside_ = std::move(inside_).resume();
    arrive(&outside_view_, nullptr);
}

void fiber::suspend() {
    leave(&inside_view_, outside_view_);
    outside_ = std::move(outside_).resume();
    arrive(&inside_view_, &outside_view_);
}

void fiber_pool::reserve(std::size_t count) {
    try {
        while (fibers_.size() < count) fibers_.push_back(std::make_unique<fiber>(stack_bytes_));
    } catch (const std::bad_alloc&) {
        throw_error(errc::out_of_memory, "emulator: no memory for " + std::to_string(count) + " stacks of " +
                                             std::to_string(stack_bytes_) + " bytes");
    }
}

}  // namespace upsweep::emulator
