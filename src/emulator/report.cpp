// Findings and traces in words.
#include "upsweep/emulator/report.hpp"

#include <cstdint>
#include <cstring>
#include <string>

namespace upsweep::emulator {
namespace {

std::string place(const source_line& where) {
    return std::string(where.file) + ":" + std::to_string(where.line) + " in " + where.function;
}

std::string words(const actor& who) {
    std::string text = "thread " + std::to_string(who.thread) + " " + describe(who.what);
    if (who.what != operation::finish) text += " at " + place(who.where);
    return text;
}

std::string range(const finding& f) {
    return "bytes [" + std::to_string(f.offset) + ", " + std::to_string(f.offset + f.bytes) +
           ") of shared memory";
}

template <class T>
T value_at(const std::byte* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
}

// A number of the given type, or nothing if there is none of that size.
std::string number(value_type type, const std::byte* bytes, std::size_t size) {
    if (type == value_type::floating_point && size == 4) return std::to_string(value_at<float>(bytes));
    if (type == value_type::floating_point && size == 8) return std::to_string(value_at<double>(bytes));
    if (type == value_type::signed_integer) {
        if (size == 1) return std::to_string(value_at<std::int8_t>(bytes));
        if (size == 2) return std::to_string(value_at<std::int16_t>(bytes));
        if (size == 4) return std::to_string(value_at<std::int32_t>(bytes));
        if (size == 8) return std::to_string(value_at<std::int64_t>(bytes));
    }
    if (type == value_type::unsigned_integer) {
        if (size == 1) return std::to_string(value_at<std::uint8_t>(bytes));
        if (size == 2) return std::to_string(value_at<std::uint16_t>(bytes));
        if (size == 4) return std::to_string(value_at<std::uint32_t>(bytes));
        if (size == 8) return std::to_string(value_at<std::uint64_t>(bytes));
    }
    return {};
}

}  // namespace

bool operator==(const source_line& a, const source_line& b) {
    return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

const char* describe(operation what) {
    switch (what) {
        case operation::none:
            return "makes a view";
        case operation::read:
            return "reads";
        case operation::write:
            return "writes";
        case operation::fetch_add:
            return "adds atomically";
        case operation::shuffle:
            return "shuffles";
        case operation::ballot:
            return "votes in a ballot";
        case operation::warp_sync:
            return "waits for its warp";
        case operation::block_sync:
            return "waits at the block's barrier";
        case operation::atomic:
            return "accesses global memory atomically";
        case operation::finish:
            return "has returned from the kernel";
    }
    return "";
}

std::string to_string(const finding& f) {
    std::string text;
    switch (f.kind) {
        case finding_kind::race:
            text = "race on " + range(f) + ": " + words(f.first) + ", " + words(f.second) +
                   ", and no barrier is between";
            break;
        case finding_kind::divergent_barrier:
            text = "divergent barrier: " + words(f.first) + ", but " + words(f.second);
            break;
        case finding_kind::out_of_bounds:
            text = f.first.what == operation::shuffle
                       ? "out of bounds: " + words(f.first) + " from lane " + std::to_string(f.offset) +
                             ", which the warp does not have"
                       : "out of bounds: " + words(f.first) + ", " + range(f) + ", which it does not have";
            break;
        case finding_kind::uninitialized_read:
            text = "uninitialized read: " + words(f.first) + ", " + range(f) + ", which nobody has written";
            break;
        case finding_kind::no_progress:
            text = "no progress: " + words(f.first) + " again and again, and nobody stores what it waits for";
            break;
    }
    text += " (block " + std::to_string(f.block) + ", phase " + std::to_string(f.phase);
    if (f.count > 1) text += ", " + std::to_string(f.count) + " times";
    return text + ")";
}

std::string report::text() const {
    std::string all;
    for (const finding& f : findings) all += to_string(f) + "\n";
    return all;
}

std::string trace::value_text(const event& e) const {
    if (e.bytes == 0) return {};
    const std::byte* bytes = values.data() + e.value;
    std::string text = number(e.type, bytes, e.bytes);
    if (!text.empty()) return text;
    static const char digits[] = "0123456789abcdef";
    for (std::size_t k = 0; k < e.bytes; ++k) {
        const auto byte = std::to_integer<unsigned>(bytes[k]);
        text += {digits[byte / 16], digits[byte % 16]};
    }
    return text;
}

}  // namespace upsweep::emulator
