// Where finished pictures go: PNG files, and a video through the program ffmpeg.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace particles {

// 8-bit RGB, rows from the top.
struct picture {
    int width = 0, height = 0;
    std::vector<std::uint8_t> pixels;  // 3 width height
};

// Throws std::runtime_error where the file cannot be written.
void write_png(const std::string& path, const picture& what);

// A pattern such as out-%04d.png with its number put in. Throws std::invalid_argument where the pattern has
// anything but one %d, which may have a width as in %04d.
std::string numbered(const std::string& pattern, std::uint64_t number);

// An H.264 video of pictures of equal size, 60 a second, made by the program ffmpeg.
class video {
  public:
    // Throws std::runtime_error where there is no ffmpeg.
    video(const std::string& path, int width, int height);
    void add(const picture& what);
    // Waits for ffmpeg; throws std::runtime_error if it failed.
    void finish();

  private:
    struct close_pipe {
        void operator()(std::FILE* pipe) const;
    };
    std::string path_;
    std::unique_ptr<std::FILE, close_pipe> pipe_;
};

}  // namespace particles
