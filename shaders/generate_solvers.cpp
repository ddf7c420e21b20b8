// Writes the solvers of points in GLSL from the library's tableaux: substep_generate_solvers FOLDER_OF_SHADERS OUT.
// Run by the build. A method is added here by one line in main.
#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "substep/integrators/tableaux.h"

namespace {

using namespace substep;

std::string read_file(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) throw std::runtime_error("cannot read " + path);
    return text.str();
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
}

// The coefficient rounded to single precision, as GLSL reads it.
std::string number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.9e", static_cast<double>(static_cast<float>(value)));
    return text.data();
}

// h sum_j row_j k_j over the coefficients that are not zero, in the order of runge_kutta.h.
template <std::size_t S>
std::string weighted_sum(const std::array<double, S>& row) {
    std::string sum;
    for (std::size_t j = 0; j < S; ++j) {
        if (row[j] == 0.0) continue;
        sum += (sum.empty() ? "" : " + ") + ("(h * " + number(row[j]) + ") * k") + std::to_string(j);
    }
    return sum.empty() ? "vec3(0.0)" : sum;
}

// One step as straight-line code, and the solver that makes steps with it.
template <std::size_t S>
std::string solver(const std::string& name, const ButcherTableau<S>& tableau, int error_order,
                   const std::string& folder) {
    const bool reuses_last = tableau.first_same_as_last();
    std::string text = "// Written by shaders/generate_solvers.cpp from the tableau of " + name + ". Change those.\n\n";
    text += "// One step from (t, y), where the velocity is k0.\n";
    text += "vec3 step_" + name + "(float t, float h, vec3 y, vec3 k0, out vec3 error, out vec3 k_end) {\n";
    for (std::size_t i = 1; i < S; ++i) {
        const bool is_end = reuses_last && i + 1 == S;
        std::string argument = "y + (" + weighted_sum(tableau.a[i]) + ")";
        if (is_end) {
            text += "    vec3 end = " + argument + ";\n";
            argument = "end";
        }
        text +=
            "    vec3 k" + std::to_string(i) + " = velocity(t + " + number(tableau.c[i]) + " * h, " + argument + ");\n";
    }
    if (!reuses_last) text += "    vec3 end = y + (" + weighted_sum(tableau.b) + ");\n";
    text += "    error = " + weighted_sum(tableau.b_error) + ";\n";
    text += "    k_end = " + (reuses_last ? "k" + std::to_string(S - 1) : std::string("vec3(0.0)")) + ";\n";
    text += "    return end;\n}\n";

    std::string loop = read_file(folder + (error_order > 0 ? "/adaptive_solver.glsl" : "/fixed_solver.glsl"));
    replace_all(loop, "METHOD", name);
    replace_all(loop, "ERROR_ORDER", std::to_string(error_order));
    replace_all(loop, "ATTEMPT_EVALUATIONS", std::to_string(S - 1));
    replace_all(loop, "FIRST_SAME_AS_LAST", reuses_last ? "true" : "false");
    return text + loop;
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 3) throw std::runtime_error("two arguments: the folder of shaders, the folder to write to");
        const std::string folder = argv[1];
        // `error_order` is that of the estimate per unit step; 0: a fixed method.
        const auto write = [&](const std::string& name, const auto& tableau, int error_order) {
            if (error_order != 0 && error_order != 2 && error_order != 4) {
                throw std::runtime_error(name + ": step_factor in integration.glsl has roots of order 2 and 4 only");
            }
            const std::string path = std::string(argv[2]) + "/" + name + ".glsl";
            std::ofstream file(path);
            file << solver(name, tableau, error_order, folder);
            if (!file.flush()) throw std::runtime_error("cannot write " + path);
        };
        write("explicit_euler", kExplicitEuler, 0);
        write("rk4", kRk4, 0);
        write("rk4_doubling", kRk4Doubling, 4);
        write("bogacki_shampine32", kBogackiShampine32, 2);
        write("fehlberg54", kFehlberg54, 4);
        write("dormand_prince54", kDormandPrince54, 4);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "substep_generate_solvers: %s\n", error.what());
        return 1;
    }
}
