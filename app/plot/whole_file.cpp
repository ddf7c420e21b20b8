// Files that are written as a whole or not at all.
#include "whole_file.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace substep {

void write_whole_file(const std::string& path, std::string_view bytes) {
    const std::string unfinished = path + ".part";
    std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    std::error_code error;
    if (file) std::filesystem::rename(unfinished, path, error);
    if (file && !error) return;
    std::filesystem::remove(unfinished, error);
    throw std::runtime_error("cannot write the file " + path);
}

} // namespace substep
