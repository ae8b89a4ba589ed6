// An array whose size is known late and whose memory is on the spot.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace upsweep::cpu {

// Up to `most` objects, made on the spot.
template <class T, std::size_t most>
class inline_array {
  public:
    explicit inline_array(std::size_t size) : size_(size) {
        std::uninitialized_default_construct_n(data(), size_);
    }
    ~inline_array() { std::destroy_n(data(), size_); }
    inline_array(const inline_array&) = delete;
    inline_array& operator=(const inline_array&) = delete;

    T& operator[](std::size_t i) { return data()[i]; }

  private:
    T* data() { return std::launder(reinterpret_cast<T*>(memory_)); }

    const std::size_t size_;
    alignas(T) std::byte memory_[most * sizeof(T)];
};

}  // namespace upsweep::cpu
