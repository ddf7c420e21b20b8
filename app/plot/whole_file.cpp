// Files that are written as a whole or not at all.
#include "whole_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace substep {
namespace {

namespace fs = std::filesystem;

bool write_to(const fs::path& path, std::string_view bytes, std::ios::openmode mode) {
    std::ofstream file(path, std::ios::binary | mode);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    return static_cast<bool>(file);
}

// A device, a pipe, or what stands for an open file, such as /dev/stdout: it cannot be replaced by a file.
bool is_written_through(const fs::path& path) {
    const fs::path absolute = fs::absolute(path).lexically_normal();
    const fs::path top = absolute.has_root_directory() ? *std::next(absolute.begin()) : fs::path();
    const fs::file_type type = fs::status(path).type();
    return top == "dev" || top == "proc" ||
           (type != fs::file_type::regular && type != fs::file_type::not_found && type != fs::file_type::directory);
}

// Beside the file first, then moved there. A link stays one: the file that it leads to is replaced, and keeps its mode.
bool replace(const fs::path& path, std::string_view bytes) {
    const fs::path file =
        fs::is_symlink(path) ? fs::weakly_canonical(path.parent_path() / fs::read_symlink(path)) : path;
    const bool existed = fs::exists(file);
    if (fs::is_directory(file) || (existed && access(file.c_str(), W_OK) != 0)) return false;
    fs::path unfinished = file;
    unfinished += ".part";
    std::error_code error;
    if (write_to(unfinished, bytes, std::ios::trunc)) {
        if (existed) fs::permissions(unfinished, fs::status(file).permissions(), error);
        if (!error) fs::rename(unfinished, file, error);
        if (!error) return true;
    }
    fs::remove(unfinished, error);
    return false;
}

} // namespace

void write_whole_file(const std::string& path, std::string_view bytes) {
    try {
        if (is_written_through(path) ? write_to(path, bytes, std::ios::app) : replace(path, bytes)) return;
    } catch (const fs::filesystem_error&) { // a loop of links, a folder that must not be looked into
    }
    throw std::runtime_error("cannot write the file " + path);
}

} // namespace substep
