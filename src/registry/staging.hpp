// Sources and sinks of run-time element types for the engines, and elements one by one for the generic
// engine.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "registry/dtype.hpp"
#include "upsweep/cpu/staging.hpp"

namespace upsweep::registry {

// An accumulator type and what it holds: bool accumulates in bytes of 0 and 1 so that the byte kernels serve
// it.
template <class Acc>
struct accumulation {
    bool truth =
        false;  // loads turn into whether the element is not zero, stores into whether the lowest bit is set
};

// Throws upsweep::error if elements of that type do not convert to Acc, or Acc to them.
template <class Acc>
[[nodiscard]] cpu::source<Acc> make_source(accumulation<Acc> how, dtype type, const void* data,
                                           std::ptrdiff_t stride);
template <class Acc>
[[nodiscard]] cpu::sink<Acc> make_sink(accumulation<Acc> how, dtype type, void* data, std::ptrdiff_t stride);

// Divides every tile of the tree, so that a buffer never holds elements of two chunks.
inline constexpr std::size_t staged_elements = 128;

// What the generic engine reads from: buffers of a few cache lines, filled by a source.
template <class Acc>
struct staged_source {
    cpu::source<Acc> elements;
    const cpu::memory_kernels& memory;
    std::size_t n;

    class cursor {
      public:
        cursor(const staged_source& owner, std::size_t first) : owner_(owner), next_(first) {}
        Acc operator()() {
            if (used_ == filled_) fill();
            return buffer_[used_++];
        }

      private:
        void fill() {
            filled_ = std::min(staged_elements, owner_.n - next_);
            owner_.elements.load(owner_.elements, owner_.memory, next_, filled_, buffer_.data());
            next_ += filled_;
            used_ = 0;
        }
        const staged_source& owner_;
        std::size_t next_;
        std::size_t used_ = 0;
        std::size_t filled_ = 0;
        std::array<Acc, staged_elements> buffer_;
    };
    [[nodiscard]] cursor reader(std::size_t first) const { return {*this, first}; }
    // The same without its first elements.
    [[nodiscard]] staged_source from(std::size_t first) const {
        return {cpu::moved(elements, static_cast<std::ptrdiff_t>(first)), memory, n - first};
    }
    [[nodiscard]] std::size_t element_bytes() const { return elements.element_size; }
};

// What the generic engine writes to; a cursor delivers what it holds when it goes.
template <class Acc>
struct staged_sink {
    cpu::sink<Acc> into;
    const cpu::memory_kernels& memory;
    std::optional<Acc> before;  // what an exclusive scan stores where nothing stands to the left

    class cursor {
      public:
        cursor(const staged_sink& owner, std::size_t first) : owner_(owner), next_(first) {}
        cursor(const cursor&) = delete;
        cursor& operator=(const cursor&) = delete;
        ~cursor() { flush(); }
        void operator()(const Acc& element) {
            buffer_[held_++] = element;
            if (held_ == staged_elements) flush();
        }

      private:
        void flush() {
            if (held_ != 0) owner_.into.store(owner_.into, owner_.memory, next_, held_, buffer_.data());
            next_ += held_;
            held_ = 0;
        }
        const staged_sink& owner_;
        std::size_t next_;
        std::size_t held_ = 0;
        std::array<Acc, staged_elements> buffer_;
    };
    [[nodiscard]] cursor writer(std::size_t first) const { return {*this, first}; }
};

}  // namespace upsweep::registry
