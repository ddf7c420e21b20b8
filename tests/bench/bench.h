// The parts of substep_bench. Each runs on one pinned core and prints tables with its goals.
#pragma once

#include <string>

namespace substep_bench {

/// Races the numerical library against Boost.odeint, GSL and SUNDIALS. With the path of a Markdown document, writes it
/// there, its data to data/ and its pictures to images/ beside it.
void run_integrators(const std::string& document);

/// Races jointed mechanisms against MuJoCo and Simbody at equal error. With the path of a Markdown document, writes it
/// there.
void run_mechanics(const std::string& document);

/// Compares `auto` with every fixed choice over all scenes: evaluations and time at equal error. With the path of a
/// Markdown document, writes it there.
void run_automatic(const std::string& document);

/// Races bodies that fall side by side against Bullet. With the path of a Markdown document, writes it there.
void run_free_bodies(const std::string& document);

/// Times pairs of solids, rays, and all bodies of piles against Bullet and ODE. With the path of a Markdown document,
/// writes it there.
void run_collision(const std::string& document);

/// Steps piles in Bullet and ODE. With the path of a Markdown document, writes it there.
void run_piles(const std::string& document);

/// Times many islands: two threads against one, free bodies, and saving and restoring worlds.
void run_islands();

/// Finds, for each method, the cheapest setting that keeps scene `pendulum` within 1e-6 rad, and times it.
void run_pendulum();

} // namespace substep_bench
