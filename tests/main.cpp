// Entry point of substep_tests. Every test case is in the folder named after what it tests.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
