// The CUDA executor: device properties, scratch memory, and errors in words.
#include "upsweep/cuda/executor.hpp"

#include <algorithm>
#include <utility>

#include "upsweep/cuda/device_scope.hpp"

namespace upsweep::cuda {

const char* name(algorithm choice) {
    switch (choice) {
        case algorithm::look_ahead:
            return "look-ahead";
        case algorithm::look_back:
            return "look-back";
        case algorithm::reduce_then_scan:
            return "reduce-then-scan";
        case algorithm::automatic:
            break;
    }
    return "automatic";
}

const char* name(axis_way way) {
    switch (way) {
        case axis_way::lanes:
            return "lanes";
        case axis_way::turned_lanes:
            return "turned lanes";
        case axis_way::word_lanes:
            return "lanes of words";
        case axis_way::chunked_lanes:
            return "lanes in chunks";
        case axis_way::rows:
            return "rows";
        case axis_way::columns:
            return "columns";
        case axis_way::lines:
            return "lines";
        case axis_way::line_tiles:
            return "tiles of lines";
        case axis_way::lines_ahead:
            return "lines ahead";
        case axis_way::line_by_line:
            return "line by line";
        case axis_way::short_lines:
            return "short lines";
        case axis_way::packed_lanes:
            return "packed lanes";
        case axis_way::automatic:
            break;
    }
    return "automatic";
}

void throw_status(cudaError_t status, const std::string& doing) {
    const errc code = status == cudaErrorMemoryAllocation ? errc::out_of_memory : errc::device;
    throw_error(code, doing + ": " + cudaGetErrorName(status) + " (" + cudaGetErrorString(status) + ")");
}

void free_in_order(void* data, cudaStream_t stream, int device) noexcept {
    if (data == nullptr) return;
    int previous = device;
    if (cudaGetDevice(&previous) == cudaSuccess && previous != device) cudaSetDevice(device);
    if (cudaFreeAsync(data, stream) != cudaSuccess) cudaGetLastError();
    if (previous != device) cudaSetDevice(previous);
}

namespace {

// Blocks wait there for each other, which they should not do over the bus, as arrays may be read and written.
void check_workspace(const void* p) {
    cudaPointerAttributes attributes{};
    check(cudaPointerGetAttributes(&attributes, p), "workspace");
    if (attributes.type == cudaMemoryTypeHost)
        throw_error(errc::invalid_argument, "workspace: expected device memory, but it is host memory");
}

}  // namespace

executor::executor(cudaStream_t stream, algorithm choice) : stream_(stream), choice_(choice) {
    read_device();
}

executor::executor(cudaStream_t stream, device_span<std::byte> workspace, algorithm choice)
    : stream_(stream),
      choice_(choice),
      workspace_{workspace.data(), workspace.size()},
      owns_workspace_(false) {
    read_device();
    if (reinterpret_cast<std::uintptr_t>(workspace_.data) % 256 != 0) {
        throw_error(errc::invalid_argument, "workspace: expected memory aligned to 256 bytes");
    }
    if (workspace_.bytes != 0) {
        check_workspace(workspace_.data);
        check_pointer(workspace_.data, "workspace");
        check(cudaMemsetAsync(workspace_.data, 0, workspace_.bytes, stream_), "clearing the workspace");
    }
}

executor::executor(executor&& other) noexcept { *this = std::move(other); }

executor& executor::operator=(executor&& other) noexcept {
    if (this == &other) return *this;
    free_all();
    stream_ = other.stream_;
    choice_ = other.choice_;
    pool_ = other.pool_;
    latest_ = other.latest_;
    device_ = other.device_;
    compute_capability_ = other.compute_capability_;
    multiprocessors_ = other.multiprocessors_;
    shared_memory_ = other.shared_memory_;
    cache_bytes_ = other.cache_bytes_;
    tiles_ahead_ = other.tiles_ahead_;
    counts_first_ = other.counts_first_;
    axis_way_ = other.axis_way_;
    latest_axis_way_ = other.latest_axis_way_;
    only_device_ = other.only_device_;
    passed_ = other.passed_;
    next_passed_ = other.next_passed_;
    workspace_ = std::exchange(other.workspace_, {});
    plain_ = std::exchange(other.plain_, {});
    tables_ = std::exchange(other.tables_, {});
    owns_workspace_ = std::exchange(other.owns_workspace_, true);
    plain_at_ = std::exchange(other.plain_at_, 0);
    return *this;
}

executor::~executor() { free_all(); }

void executor::free_all() noexcept {
    if (owns_workspace_) free_memory(workspace_);
    free_memory(plain_);
    free_memory(tables_);
}

void executor::free_memory(memory& held) noexcept {
    free_in_order(std::exchange(held, {}).data, stream_, device_);
}

void executor::read_device() {
    int current = 0;
    check(cudaGetDevice(&current), "choosing a CUDA device");
    device_ = current;
    int devices = 0;
    check(cudaGetDeviceCount(&devices), "choosing a CUDA device");
    only_device_ = devices == 1;
    if (stream_ != nullptr) {
        cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
        check(cudaStreamIsCapturing(stream_, &capture), "stream");
        if (capture == cudaStreamCaptureStatusNone) check(cudaStreamGetDevice(stream_, &device_), "stream");
    }
    const auto attribute = [&](cudaDeviceAttr which) {
        int value = 0;
        check(cudaDeviceGetAttribute(&value, which, device_), "reading the device's properties");
        return value;
    };
    compute_capability_ =
        attribute(cudaDevAttrComputeCapabilityMajor) * 10 + attribute(cudaDevAttrComputeCapabilityMinor);
    multiprocessors_ = attribute(cudaDevAttrMultiProcessorCount);
    shared_memory_ = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    cache_bytes_ = attribute(cudaDevAttrL2CacheSize);
    if (choice_ == algorithm::look_ahead && compute_capability_ < 90) {
        throw_error(errc::unsupported, "algorithm: look-ahead needs compute capability 9.0, but device " +
                                           std::to_string(device_) + " has " +
                                           std::to_string(compute_capability_ / 10) + "." +
                                           std::to_string(compute_capability_ % 10));
    }
}

void executor::wait() {
    const device_scope current(*this);
    check(cudaStreamSynchronize(stream_), "waiting for the stream");
}

executor::scratch executor::take_scratch(std::size_t bytes) {
    if (owns_workspace_) return take_own(workspace_, bytes, true);
    if (bytes > workspace_.bytes) {
        throw_error(errc::out_of_memory, "workspace: expected at least " + std::to_string(bytes) +
                                             " bytes for this call, but it has " +
                                             std::to_string(workspace_.bytes));
    }
    return {workspace_.data, bytes, scratch::kept};
}

executor::scratch executor::take_plain_scratch(std::size_t bytes, std::size_t other) {
    if (owns_workspace_) return take_own(plain_, bytes, false);
    if (bytes == 0) return {};
    const scratch all = take_scratch(other + bytes);
    plain_at_ = (workspace_.bytes - bytes) / 256 * 256;
    return {static_cast<char*>(all.data) + plain_at_, bytes, scratch::to_be_cleared};
}

executor::scratch executor::take_own(memory& held, std::size_t bytes, bool clears) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(stream_, &capture), "stream");
    const bool captured = capture != cudaStreamCaptureStatusNone;
    if (!captured && bytes <= held.bytes) return {held.data, bytes, scratch::kept};

    const std::string doing = "allocating " + std::to_string(bytes) + " bytes of scratch";
    const auto fresh_memory = [&](std::size_t size) {
        void* fresh = nullptr;
        if (const cudaError_t status = allocate(&fresh, size); status != cudaSuccess) {
            cudaGetLastError();  // an allocation that failed is not a sticky error
            throw_status(status, doing);
        }
        if (!clears) return fresh;
        if (const cudaError_t status = cudaMemsetAsync(fresh, 0, size, stream_); status != cudaSuccess) {
            cudaFreeAsync(fresh, stream_);
            throw_status(status, doing);
        }
        return fresh;
    };
    if (captured) return {fresh_memory(bytes), bytes, scratch::captured};

    // What may hold anything can go before there is more of it, as it may be as large as the arrays.
    if (!clears) {
        free_memory(held);
        held = {fresh_memory(bytes), bytes};
        return {held.data, bytes, scratch::kept};
    }
    // At least half as much again, so that slowly growing calls do not allocate each time.
    const std::size_t size = std::max(bytes, held.bytes + held.bytes / 2);
    void* const fresh = fresh_memory(size);
    free_memory(held);
    held = {fresh, size};
    return {fresh, bytes, scratch::kept};
}

cudaError_t executor::allocate(void** data, std::size_t bytes) const {
    if (pool_ == nullptr) return cudaMallocAsync(data, bytes, stream_);
    return cudaMallocFromPoolAsync(data, bytes, pool_, stream_);
}

void executor::release_scratch(const scratch& used) {
    if (used.state == scratch::captured)
        check(cudaFreeAsync(used.data, stream_), "releasing the graph's scratch");
    if (used.state != scratch::to_be_cleared) return;
    const std::size_t bytes = workspace_.bytes - std::exchange(plain_at_, 0);
    check(cudaMemsetAsync(used.data, 0, bytes, stream_), "clearing scratch");
}

void executor::check_before_launch() const {
    if (const cudaError_t status = cudaPeekAtLastError(); status != cudaSuccess) {
        cudaGetLastError();  // one that is not sticky has now been reported
        throw_status(status, "an earlier CUDA call or kernel failed");
    }
}

void executor::check_pointer(const void* p, const char* argument) {
    if (p != nullptr && std::find(passed_.begin(), passed_.end(), p) != passed_.end()) return;
    cudaPointerAttributes attributes{};
    check(cudaPointerGetAttributes(&attributes, p), argument);
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != device_) {
        throw_error(errc::invalid_argument,
                    std::string(argument) + ": memory of device " + std::to_string(attributes.device) +
                        ", but the executor's stream belongs to device " + std::to_string(device_));
    }
    // Memory of a graph that is being captured is not there before the graph runs.
    if (attributes.type == cudaMemoryTypeUnregistered && stream_ != nullptr) {
        cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
        check(cudaStreamIsCapturing(stream_, &capture), "stream");
        if (capture != cudaStreamCaptureStatusNone) return;
    }
    const bool is_mapped = attributes.type == cudaMemoryTypeHost && attributes.devicePointer == p;
    if (attributes.type == cudaMemoryTypeUnregistered ||
        (attributes.type == cudaMemoryTypeHost && !is_mapped)) {
        throw_error(errc::invalid_argument,
                    std::string(argument) + ": expected device memory, but it is host memory");
    }
    passed_.at(next_passed_) = p;
    next_passed_ = (next_passed_ + 1) % passed_.size();
}

}  // namespace upsweep::cuda
