// The particle system off screen: a frame holds what a re-simulation on the CPU holds, particle for particle;
// pictures repeat; the program says what it does and what is wrong.
#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "fountain.hpp"
#include "pictures.hpp"
#include "reference.hpp"
#include "show.hpp"
#include "support/build.hpp"
#include "support/gl_sanitizer.hpp"
#include "support/scratch_directory.hpp"
#include "upsweep/gl/offscreen_context.hpp"

namespace particles {
namespace {

class particle_system : public ::testing::Test {
  protected:
    void SetUp() override {
        glDebugMessageCallback(take_message, &complaints_);
        glEnable(GL_DEBUG_OUTPUT);
        glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    }
    void TearDown() override {
        glDebugMessageCallback(nullptr, nullptr);
        for (const std::string& each : complaints_) ADD_FAILURE() << "the driver complains: " << each;
        EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
    }

    static std::vector<physics::particle> read(const fountain& from, std::uint32_t capacity) {
        GLuint arguments[4] = {};
        glBindBuffer(GL_COPY_READ_BUFFER, from.living().arguments);
        glGetBufferSubData(GL_COPY_READ_BUFFER, 0, sizeof arguments, arguments);
        std::uint32_t count = 0;
        glGetBufferSubData(GL_COPY_READ_BUFFER, fountain::count_offset, sizeof count, &count);
        EXPECT_EQ(arguments[0], count);
        EXPECT_EQ(arguments[1], 1u);
        EXPECT_LE(count, capacity);
        std::vector<physics::particle> made(count);
        glBindBuffer(GL_COPY_READ_BUFFER, from.living().particles);
        if (count != 0)
            glGetBufferSubData(GL_COPY_READ_BUFFER, 0,
                               static_cast<GLsizeiptr>(count * sizeof(physics::particle)), made.data());
        glBindBuffer(GL_COPY_READ_BUFFER, 0);
        return made;
    }

    // Count, order and every bit.
    static void expect_same(const std::vector<physics::particle>& got,
                            const std::vector<physics::particle>& wanted) {
        ASSERT_EQ(got.size(), wanted.size());
        for (std::size_t i = 0; i < got.size(); ++i)
            ASSERT_EQ(std::memcmp(&got[i], &wanted[i], sizeof got[i]), 0) << "particle " << i;
    }

    const upsweep::gl::offscreen_context context_{upsweep::gl::context_request{.debug = true}};

  private:
    static void GLAPIENTRY take_message(GLenum, GLenum type, GLuint, GLenum, GLsizei length,
                                        const GLchar* words, const void* to) {
        if (type != GL_DEBUG_TYPE_ERROR && type != GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR) return;
        static_cast<std::vector<std::string>*>(const_cast<void*>(to))
            ->emplace_back(words, static_cast<std::size_t>(length));
    }
    std::vector<std::string> complaints_;
};

TEST_F(particle_system, equals_a_simulation_on_the_cpu) {
    std::cout << "driver: " << context_.renderer() << ", " << context_.version() << std::endl;
    for (const std::uint32_t seed : {1u, 4000000007u}) {
        constexpr std::uint32_t capacity = 20000;
        fountain device(context_.loader(), capacity, seed);
        reference_fountain host(capacity, seed);
        for (int step = 1; step <= 240; ++step) {
            device.advance({});
            host.advance({});
            if (step > 3 && step % 80 != 0) continue;
            SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
            expect_same(read(device, capacity), host.living());
        }
        EXPECT_GT(host.living().size(), capacity * 8 / 10);
        // Compaction keeps the order, so nobody is older than the one before.
        EXPECT_TRUE(std::is_sorted(host.living().begin(), host.living().end(),
                                   [](const auto& a, const auto& b) { return a.age > b.age; }));
    }
}

TEST_F(particle_system, equals_it_with_emitters_switched_and_no_room) {
    constexpr std::uint32_t capacity = 1000;
    fountain device(context_.loader(), capacity, 7);
    reference_fountain host(capacity, 7);
    for (std::uint32_t step = 0; step < 700; ++step) {
        emission from;
        if (step < 60) from.emitters = step % 16;
        if (step >= 60 && step < 120) from.emitters = 0;
        if (step >= 300) from.flow = 150;
        device.advance(from);
        host.advance(from);
        if (step % 50 == 49) expect_same(read(device, capacity), host.living());
    }
    EXPECT_GT(host.turned_away(), 0u) << "there was always room";
}

TEST_F(particle_system, particles_end_in_every_way) {
    std::set<int> ways;
    std::vector<physics::particle> living;
    for (std::uint32_t step = 0; step < 500; ++step) {
        for (std::uint32_t i = 0; i < 40; ++i)
            living.push_back(physics::emit(3, step, i, i % physics::emitter_count));
        for (physics::particle& each : living) {
            each = physics::advance(each, step);
            if (!physics::is_alive(each)) ways.insert(each.age);
        }
        std::erase_if(living, [](const physics::particle& each) { return !physics::is_alive(each); });
    }
    EXPECT_EQ(ways, (std::set<int>{physics::outlived, physics::on_ground, physics::on_sphere,
                                   physics::out_of_scene}));
}

TEST_F(particle_system, pictures_repeat) {
    settings chosen;
    chosen.particles = 5000;
    chosen.width = 160;
    chosen.height = 90;
    chosen.text = false;
    const auto draw = [&](std::uint64_t skipped, std::uint32_t seed) {
        chosen.seed = seed;
        show running(chosen, context_.loader());
        const texture color = make_texture(GL_RGBA8, chosen.width, chosen.height);
        const framebuffer target = make_framebuffer(color);
        running.skip(skipped);
        running.frame(target.name());
        const picture drawn = read_picture(target.name(), chosen.width, chosen.height);
        const auto report = running.times().next_report(true);
        EXPECT_TRUE(report && report->alive > 0 && report->total() > 0);
        return drawn.pixels;
    };
    const auto first = draw(60, 1);
    EXPECT_EQ(draw(60, 1), first);
    EXPECT_NE(draw(61, 1), first);
    EXPECT_NE(draw(60, 2), first);
    EXPECT_GT(*std::max_element(first.begin(), first.end()), 200) << "nothing glows";
    EXPECT_LT(*std::min_element(first.begin(), first.end()), 20) << "nothing is dark";
}

TEST_F(particle_system, the_text_line_is_drawn) {
    const texture color = make_texture(GL_RGBA8, 400, 100);
    const framebuffer target = make_framebuffer(color);
    glBindFramebuffer(GL_FRAMEBUFFER, target.name());
    glViewport(0, 0, 400, 100);
    glClear(GL_COLOR_BUFFER_BIT);
    text_line line;
    line.draw("", 400, 100);
    const auto empty = read_picture(target.name(), 400, 100).pixels;
    glBindFramebuffer(GL_FRAMEBUFFER, target.name());
    line.draw("1 234 567 particles", 400, 100);
    const auto written = read_picture(target.name(), 400, 100).pixels;
    EXPECT_TRUE(std::all_of(empty.begin(), empty.end(), [](auto each) { return each == 0; }));
    const auto bright = std::count_if(written.begin(), written.end(), [](auto each) { return each > 150; });
    EXPECT_GT(bright, 300);
    EXPECT_LT(bright, 6000);
}

TEST(births, lose_no_fraction) {
    for (const std::uint32_t capacity : {1000u, 123457u, 10000000u, 2000000000u}) {
        std::uint64_t sum = 0;
        for (std::uint32_t step = 0; step < 38200; ++step)
            sum += births(capacity, step, {.emitters = 8}).back();
        EXPECT_EQ(sum, std::uint64_t{capacity} * 25);  // a share of 25 / 100 in 382 steps each
    }
    EXPECT_EQ(births(1000000, 5, {.emitters = 0}).back(), 0u);
    const auto ends = births(1000000, 5, {.emitters = 5});
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_LT(ends[1], ends[2]);
    EXPECT_EQ(ends[2], ends[3]);
}

TEST(numbered, puts_the_number_in) {
    EXPECT_EQ(numbered("out-%04d.png", 7), "out-0007.png");
    EXPECT_EQ(numbered("%d", 12345), "12345");
    EXPECT_EQ(numbered("a%3d.png", 5), "a  5.png");
    EXPECT_EQ(numbered("%02d.png", 12345), "12345.png");
    for (const char* const pattern : {"out.png", "out-%s.png", "%d-%d.png", "%", "100%", "%n", "%12345d"})
        EXPECT_THROW(numbered(pattern, 0), std::invalid_argument) << pattern;
}

class program_test : public scratch_test {
  protected:
    int run(const std::string& arguments) {
        // See gl_sanitizer.hpp: nothing to find there, and another process.
        const std::string environment =
            upsweep::test::thread_sanitizer ? "TSAN_OPTIONS=report_bugs=0:detect_deadlocks=0 " : "";
        const std::string line = "cd '" + directory().string() + "' && " + environment +
                                 "'" UPSWEEP_PARTICLES "' " + arguments + " >out.txt 2>words.txt";
        const int status = std::system(line.c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    [[nodiscard]] std::string read(const std::string& name) const { return contents(file(name)); }
};

TEST_F(program_test, draws_off_screen) {
    ASSERT_EQ(run("--headless --frames 2 --skip 30 --size 96x54 --particles 3000 --png 'a-%02d.png'"), 0)
        << read("words.txt");
    ASSERT_EQ(run("--headless --frames 2 --skip 30 --size 96x54 --particles 3000 --png 'b-%02d.png'"), 0);
    EXPECT_EQ(read("a-00.png").substr(1, 3), "PNG");
    EXPECT_EQ(read("a-01.png"), read("b-01.png"));
    EXPECT_NE(read("a-00.png"), read("a-01.png"));
    EXPECT_NE(read("words.txt").find("2 frames of 96 x 54"), std::string::npos) << read("words.txt");
    EXPECT_NE(read("words.txt").find("the scan is"), std::string::npos);
}

TEST_F(program_test, says_what_is_wrong) {
    EXPECT_EQ(run("--help"), 0);
    EXPECT_NE(read("out.txt").find("--particles"), std::string::npos);
    const auto refused = [&](const std::string& arguments, const std::string& part) {
        EXPECT_EQ(run(arguments), 2) << arguments;
        EXPECT_NE(read("words.txt").find(part), std::string::npos) << arguments << ": " << read("words.txt");
    };
    refused("--size 12", "--size");
    refused("--size 1x1", "WIDTHxHEIGHT");
    refused("--emitters 5", "digits from 1 to 4");
    refused("--headless", "--frames");
    refused("--png out-%d.png", "--headless");
    refused("--headless --frames 1 --png out.png", "out-%04d.png");
    refused("--particles 5", "--particles");
    refused("--what", "--what");
    EXPECT_EQ(run("--headless --frames 1 --particles 1000 --size 16x16 --png 'no/such/folder-%d.png'"), 1);
    EXPECT_NE(read("words.txt").find("no/such/folder-0.png"), std::string::npos) << read("words.txt");
}

}  // namespace
}  // namespace particles
