// Fibers over Boost.Context that take one job after another, so that stacks are made once, and what
// AddressSanitizer must be told when the stack changes under it.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace upsweep::emulator {

// A function that can be left in the middle and entered again there.
class fiber {
  public:
    // The stack has a guard page behind it.
    explicit fiber(std::size_t stack_bytes);
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;
    // A job that has not been entered is dropped. Precondition: none has been left in the middle.
    ~fiber();

    // Gives it a job, which must not throw. Precondition: idle().
    void start(std::function<void()> job) { job_ = std::move(job); }
    [[nodiscard]] bool idle() const { return job_ == nullptr; }
    // From outside: enters the job, until it suspends or returns.
    void resume();
    // From within the job: back to whoever resumed it.
    void suspend();

  private:
    // What tells AddressSanitizer which stack is in use; nothing without it.
    struct sanitizer_view {
        void* fake_stack = nullptr;
        const void* bottom = nullptr;
        std::size_t size = 0;
    };
    static void leave(sanitizer_view* own, const sanitizer_view& other);
    static void arrive(const sanitizer_view* own, sanitizer_view* other);

    std::function<void()> job_;
    boost::context::fiber inside_;
    boost::context::fiber outside_;
    sanitizer_view inside_view_;
    sanitizer_view outside_view_;
};

// Fibers by number, made when first needed and kept.
class fiber_pool {
  public:
    explicit fiber_pool(std::size_t stack_bytes) : stack_bytes_(stack_bytes) {}
    // Throws upsweep::error if there is no memory for so many stacks.
    void reserve(std::size_t count);
    // Precondition: index is less than what has been reserved.
    [[nodiscard]] fiber& at(std::size_t index) { return *fibers_[index]; }

  private:
    std::size_t stack_bytes_;
    std::vector<std::unique_ptr<fiber>> fibers_;
};

}  // namespace upsweep::emulator
