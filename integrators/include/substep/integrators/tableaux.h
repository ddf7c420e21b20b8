// Coefficients of the explicit Runge-Kutta methods up to fifth order. Their sums are checked here, their order
// conditions in src/tableaux.cpp, once, because that takes the compiler a second.
#pragma once

#include "substep/integrators/butcher_tableau.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Explicit Euler.
inline constexpr ButcherTableau<1> kExplicitEuler{
    .a = {{{}}},
    .b = {1.0},
    .c = {0.0},
    .b_error = {},
};
static_assert(is_consistent(kExplicitEuler));

/// Heun's second-order method, the explicit trapezoidal rule.
///
///     0 |
///     1 | 1
///     --+---------
///       | 1/2  1/2
inline constexpr ButcherTableau<2> kHeun2{
    .a = {{{}, {1.0}}},
    .b = {1.0 / 2, 1.0 / 2},
    .c = {0.0, 1.0},
    .b_error = {},
};
static_assert(is_consistent(kHeun2));

/// The classical fourth-order method (Kutta 1901).
///
///     0   |
///     1/2 | 1/2
///     1/2 |  0   1/2
///     1   |  0    0    1
///     ----+-------------------
///         | 1/6  1/3  1/3  1/6
inline constexpr ButcherTableau<4> kRk4{
    .a = {{{}, {1.0 / 2}, {0.0, 1.0 / 2}, {0.0, 0.0, 1.0}}},
    .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
    .c = {0.0, 1.0 / 2, 1.0 / 2, 1.0},
    .b_error = {},
};
static_assert(is_consistent(kRk4));

/// `kRk4` by step doubling: two half steps, propagated as they are, and a full one that shares their first stage.
inline constexpr ButcherTableau<11> kRk4Doubling = step_doubling(kRk4, 4);
inline constexpr auto kRk4DoublingExtension = step_doubling_extension(kRk4);
static_assert(is_consistent(kRk4Doubling));

/// Bogacki & Shampine's third-order method with embedded second order (Appl. Math. Lett. 2, 321, 1989).
///
///     0   |
///     1/2 | 1/2
///     3/4 |  0    3/4
///     1   | 2/9   1/3  4/9
///     ----+---------------------
///     b   | 2/9   1/3  4/9   0
///     b2  | 7/24  1/4  1/3  1/8
inline constexpr ButcherTableau<4> kBogackiShampine32{
    .a = {{{}, {1.0 / 2}, {0.0, 3.0 / 4}, {2.0 / 9, 1.0 / 3, 4.0 / 9}}},
    .b = {2.0 / 9, 1.0 / 3, 4.0 / 9},
    .c = {0.0, 1.0 / 2, 3.0 / 4, 1.0},
    .b_error = {-5.0 / 72, 1.0 / 12, 1.0 / 9, -1.0 / 8},
};
static_assert(is_consistent(kBogackiShampine32) && kBogackiShampine32.first_same_as_last());

/// Fehlberg's fourth-order method with embedded fifth order (NASA TR R-315, 1969), the fifth-order row propagated.
///
///     0     |
///     1/4   | 1/4
///     3/8   | 3/32        9/32
///     12/13 | 1932/2197 -7200/2197  7296/2197
///     1     | 439/216      -8       3680/513    -845/4104
///     1/2   | -8/27         2      -3544/2565   1859/4104   -11/40
///     ------+-----------------------------------------------------------
///     b     | 16/135        0       6656/12825  28561/56430  -9/50  2/55
///     b4    | 25/216        0       1408/2565   2197/4104    -1/5    0
inline constexpr ButcherTableau<6> kFehlberg54{
    .a = {{{},
           {1.0 / 4},
           {3.0 / 32, 9.0 / 32},
           {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197},
           {439.0 / 216, -8.0, 3680.0 / 513, -845.0 / 4104},
           {-8.0 / 27, 2.0, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40}}},
    .b = {16.0 / 135, 0.0, 6656.0 / 12825, 28561.0 / 56430, -9.0 / 50, 2.0 / 55},
    .c = {0.0, 1.0 / 4, 3.0 / 8, 12.0 / 13, 1.0, 1.0 / 2},
    .b_error = {1.0 / 360, 0.0, -128.0 / 4275, -2197.0 / 75240, 1.0 / 50, 2.0 / 55},
};
static_assert(is_consistent(kFehlberg54));

/// Cash & Karp's fifth-order method with embedded fourth order (ACM Trans. Math. Softw. 16, 201, 1990). The fifth-order
/// row is propagated.
///
///     0    |
///     1/5  | 1/5
///     3/10 | 3/40         9/40
///     3/5  | 3/10        -9/10     6/5
///     1    | -11/54       5/2    -70/27       35/27
///     7/8  | 1631/55296 175/512  575/13824  44275/110592  253/4096
///     -----+----------------------------------------------------------------------
///     b    | 37/378        0     250/621      125/594        0         512/1771
///     b4   | 2825/27648    0   18575/48384  13525/55296  277/14336       1/4
inline constexpr ButcherTableau<6> kCashKarp54{
    .a = {{{},
           {1.0 / 5},
           {3.0 / 40, 9.0 / 40},
           {3.0 / 10, -9.0 / 10, 6.0 / 5},
           {-11.0 / 54, 5.0 / 2, -70.0 / 27, 35.0 / 27},
           {1631.0 / 55296, 175.0 / 512, 575.0 / 13824, 44275.0 / 110592, 253.0 / 4096}}},
    .b = {37.0 / 378, 0.0, 250.0 / 621, 125.0 / 594, 0.0, 512.0 / 1771},
    .c = {0.0, 1.0 / 5, 3.0 / 10, 3.0 / 5, 1.0, 7.0 / 8},
    .b_error = {37.0 / 378 - 2825.0 / 27648, 0.0, 250.0 / 621 - 18575.0 / 48384, 125.0 / 594 - 13525.0 / 55296,
                -277.0 / 14336, 512.0 / 1771 - 1.0 / 4},
};
static_assert(is_consistent(kCashKarp54));

/// Dormand & Prince's fifth-order method with embedded fourth order (J. Comput. Appl. Math. 6, 19, 1980), RK5(4)7M.
///
///     0    |
///     1/5  | 1/5
///     3/10 | 3/40          9/40
///     4/5  | 44/45       -56/15       32/9
///     8/9  | 19372/6561 -25360/2187  64448/6561  -212/729
///     1    | 9017/3168  -355/33      46732/5247   49/176  -5103/18656
///     1    | 35/384        0          500/1113   125/192  -2187/6784    11/84
///     -----+-----------------------------------------------------------------------
///     b    | 35/384        0          500/1113   125/192  -2187/6784    11/84    0
///     b4   | 5179/57600    0         7571/16695  393/640 -92097/339200 187/2100 1/40
inline constexpr ButcherTableau<7> kDormandPrince54{
    .a = {{{},
           {1.0 / 5},
           {3.0 / 40, 9.0 / 40},
           {44.0 / 45, -56.0 / 15, 32.0 / 9},
           {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
           {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
           {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}}},
    .b = {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
    .c = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0},
    .b_error = {71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40},
};
static_assert(is_consistent(kDormandPrince54) && kDormandPrince54.first_same_as_last());

/// Fourth-order dense output from the stages alone (Shampine, Math. Comp. 46, 135, 1986; Hairer, Norsett & Wanner I,
/// II.6).
inline constexpr ContinuousExtension<7, 0, 1> kDormandPrince54Extension{
    .a = {},
    .c = {},
    .d = {{{-12715105075.0 / 11282082432, 0.0, 87487479700.0 / 32700410799, -10690763975.0 / 1880347072,
            701980252875.0 / 199316789632, -1453857185.0 / 822651844, 69997945.0 / 29380423}}},
};

/// Tsitouras' fifth-order method with embedded fourth order (Comput. Math. Appl. 62, 770, 2011): decimal coefficients,
/// chosen for a small leading error.
inline constexpr ButcherTableau<7> kTsitouras54{
    .a = {{{},
           {0.161},
           {-0.008480655492356989, 0.335480655492357},
           {2.8971530571054935, -6.359448489975075, 4.3622954328695815},
           {5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525},
           {5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383},
           {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774}}},
    .b = {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774},
    .c = {0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0, 1.0},
    .b_error = {-0.00178001105222577714, -0.0008164344596567469, 0.007880878010261995, -0.1447110071732629,
                0.5823571654525552, -0.45808210592918697, 1.0 / 66},
};
static_assert(is_consistent(kTsitouras54) && kTsitouras54.first_same_as_last());

/// Fourth-order dense output from the stages alone: the coefficients of theta^4 of the weights b_i(theta) of the same
/// paper.
inline constexpr ContinuousExtension<7, 0, 1> kTsitouras54Extension{
    .a = {},
    .c = {},
    .d = {{{-1.0530884977290216, 0.1017, 2.490627285651253, -16.548102889244902, 47.37952196281928, -34.87065786149661,
            2.5}}},
};

} // namespace substep

#pragma GCC visibility pop
