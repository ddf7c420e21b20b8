// Files that are written as a whole: what they replace keeps what it is.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "program.h"
#include "whole_file.h"

using substep::write_whole_file;
namespace fs = std::filesystem;

namespace {

// A folder of the test's own, removed with all that is in it.
struct Folder {
    TemporaryFile name;
    fs::path path = name.path();
    Folder() { fs::create_directory(path); }
    ~Folder() { fs::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
};

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace

TEST_CASE("a file that is replaced keeps its mode, and nothing is left beside it") {
    const Folder folder;
    const fs::path file = folder.path / "file";
    write_whole_file(file.string(), "first");
    CHECK(text_of(file) == "first");
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write | fs::perms::owner_exec);
    write_whole_file(file.string(), "second");
    CHECK(text_of(file) == "second");
    CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write | fs::perms::owner_exec));
    CHECK(folder.entries() == 1);
}

TEST_CASE("a link goes on leading to the file that is written, be it there yet or not") {
    const Folder folder;
    fs::create_directory(folder.path / "elsewhere");
    const fs::path target = folder.path / "elsewhere" / "file";
    const fs::path link = folder.path / "link";
    fs::create_symlink("elsewhere/file", link);
    for (const std::string text : {"first", "second"}) {
        write_whole_file(link.string(), text);
        CHECK(fs::is_symlink(link));
        CHECK_FALSE(fs::is_symlink(target));
        CHECK(text_of(target) == text);
    }
    CHECK(folder.entries() == 2);
}

TEST_CASE("a pipe and a device are written to, not replaced") {
    const Folder folder;
    const fs::path pipe = folder.path / "pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    write_whole_file(pipe.string(), "through");
    char text[16] = {};
    CHECK(read(reader, text, sizeof text) == 7);
    CHECK(std::string(text) == "through");
    close(reader);
    CHECK(fs::is_fifo(pipe));

    // The device that is always full, and is not the system's own.
    const fs::path full = folder.path / "full";
    if (mknod(full.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0) {
        MESSAGE("skipped: only root makes devices");
        return;
    }
    CHECK_THROWS_AS(write_whole_file(full.string(), "too much"), std::runtime_error);
    CHECK(fs::is_character_file(full));
    CHECK(folder.entries() == 2);
}

TEST_CASE("what /dev/stdout stands for is written to where it is") {
    const Folder folder;
    const fs::path file = folder.path / "file";
    const int saved = dup(STDOUT_FILENO);
    const int output = open(file.c_str(), O_WRONLY | O_CREAT, 0600);
    REQUIRE(dup2(output, STDOUT_FILENO) == STDOUT_FILENO);
    CHECK_NOTHROW(write_whole_file("/dev/stdout", "through"));
    dup2(saved, STDOUT_FILENO);
    close(saved);
    struct stat of_output {};
    struct stat of_file {};
    REQUIRE(fstat(output, &of_output) == 0);
    REQUIRE(stat(file.c_str(), &of_file) == 0);
    close(output);
    CHECK(of_output.st_ino == of_file.st_ino);
    CHECK(text_of(file) == "through");
}

TEST_CASE("folders, and files in folders that are not there, are refused by name") {
    const Folder folder;
    for (const fs::path& path : {folder.path, folder.path / "no folder" / "file"}) {
        CHECK_THROWS_WITH_AS(write_whole_file(path.string(), "text"),
                             ("cannot write the file " + path.string()).c_str(), std::runtime_error);
    }
    CHECK(folder.entries() == 0);
}
