// Elliptic integrals and functions against values of 25 digits.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "substep/scenes/elliptic.h"

using namespace substep;

namespace {

// What is left of 25 digits in double: four units in the last place. At |u| = 521 the argument itself is only known to
// this where long double is no wider than double.
constexpr double kLastDigits = 1e-15;
const double kArgument = std::numeric_limits<long double>::digits > 53 ? 0.0 : std::numeric_limits<double>::epsilon();

double difference(long double a, long double b) { return static_cast<double>(std::abs(a - b)); }

double relative(long double a, long double b) { return static_cast<double>(std::abs(a / b - 1.0L)); }

} // namespace

// The reference values are mpmath's at 60 digits.
TEST_CASE("jacobi keeps the last digit of double for any argument, up to a parameter of 1 - 1e-40") {
    struct Row {
        long double m1, u, am, sn, cn, dn;
    };
    constexpr Row kRows[] = {
        {0.5L, 0.75L, 0.7188434684431805759199269L, 0.6585147441299966807918415L, 0.7525678253575587203122019L,
         0.8849741046390580693255325L},
        {0.5L, -521.5L, -441.7583084074897468906111L, -0.9342876528914518950456950L, -0.3565200999306797841329598L,
         0.7507018654747641891658700L},
        {0.9L, 3.25L, 3.166709692083909517427631L, -0.02511439766472968822207580L, -0.9996845837712702369382673L,
         0.9999684628542011084288650L},
        {0.25L, 40.0L, 29.30162276954696574979866L, -0.8559001083295042829631552L, -0.5171411843602700660293749L,
         0.6712497697736343543219301L},
        {1e-6L, 6.5L, 1.567872588216091693046901L, 0.9999957258794060918206626L, 2.923734413333315643696103e-3L,
         3.090018506657619954542486e-3L},
        {1e-6L, 166.0L, 31.53461760027369327699952L, 0.1184125825162853053386651L, 0.9929644808863124302494085L,
         0.9929644879467561410912570L},
        {1e-20L, 20.0L, 1.570796322673195830848468L, 0.9999999999999999915057913L, 4.121700788382853400785269e-9L,
         4.122913701371377876464678e-9L},
        {1e-20L, -300.25L, -20.41900690963564068892309L, -0.9999990950320303057038387L, 1.345338292185859901864890e-3L,
         1.345338292185863618395505e-3L},
        {1e-40L, 40.0L, 1.570796326794896610734616L, 1.000000000000000000000000L, 8.496705568267342527908652e-18L,
         8.496711452899013453408287e-18L},
        {0.999999L, 12.5L, 12.49999685845427100029872L, -0.06632503197979576482693014L, 0.9977980708203835112726473L,
         0.9999999978004950640206236L},
    };
    for (const Row& row : kRows) {
        CAPTURE(static_cast<double>(row.m1));
        CAPTURE(static_cast<double>(row.u));
        const JacobiFunctions f = jacobi(row.u, row.m1);
        const double rounding = kLastDigits + kArgument * static_cast<double>(std::abs(row.u));
        CHECK(relative(f.am, row.am) < rounding);
        CHECK(difference(f.sn, row.sn) < rounding);
        CHECK(difference(f.cn, row.cn) < rounding);
        CHECK(difference(f.dn, row.dn) < rounding);
    }
}

TEST_CASE("cn and dn keep their relative accuracy where they are as small as 1e-17") {
    const JacobiFunctions f = jacobi(40.0L, 1e-40L);
    CHECK(relative(f.cn, 8.496705568267342527908652e-18L) < 50.0 * kLastDigits); // u = 40 rounds by as many units
    CHECK(relative(f.dn, 8.496711452899013453408287e-18L) < 50.0 * kLastDigits);
}

TEST_CASE("jacobi on the separatrix is hyperbolic") {
    const JacobiFunctions f = jacobi(1.25L, 0.0L);
    CHECK(difference(f.sn, std::tanh(1.25L)) < kLastDigits);
    CHECK(difference(f.cn, 1.0L / std::cosh(1.25L)) < kLastDigits);
    CHECK(difference(f.dn, f.cn) == 0.0);
    CHECK(difference(f.am, std::atan(std::sinh(1.25L))) < kLastDigits);
    CHECK(difference(jacobi(std::numeric_limits<long double>::infinity(), 0.0L).sn, 1.0L) == 0.0);
}

TEST_CASE("elliptic_k keeps the last digit of double") {
    constexpr long double kRows[][2] = {
        {1.0L, 1.570796326794896619231322L},   {0.5L, 1.854074677301371918433850L},
        {0.25L, 2.156515647499643235438675L},  {0.9L, 1.612441348720219398229916L},
        {0.001L, 4.841132560550297030339104L}, {1e-10L, 12.89921982638759953459317L},
        {1e-30L, 35.92507075603057587910434L},
    };
    for (const auto& [complement, value] : kRows) {
        const long double m1 = complement;
        CAPTURE(static_cast<double>(m1));
        CHECK(relative(elliptic_k(m1), value) < kLastDigits);
    }
    CHECK(std::isinf(elliptic_k(0.0L)));
}

TEST_CASE("elliptic_f keeps the last digit of double, also beyond a quarter turn") {
    constexpr long double kRows[][3] = {
        {0.5L, 0.5L, 0.5104671356280047563361041L},   {0.5L, 1.5L, 1.754036916866746320761317L},
        {0.5L, -4.0L, -4.619520616257107161899099L},  {1e-10L, 1.5625L, 5.485083498674035860142113L},
        {1e-10L, 10.0L, 78.00516840367871455507442L}, {0.96L, 2.5L, 2.530510922376837356509923L},
        {1e-30L, 1.5L, 3.340677542798311003320813L},
    };
    for (const auto& [complement, angle, value] : kRows) {
        const long double m1 = complement;
        const long double phi = angle;
        CAPTURE(static_cast<double>(m1));
        CAPTURE(static_cast<double>(phi));
        CHECK(relative(elliptic_f(phi, m1), value) < kLastDigits);
    }
}

TEST_CASE("carlson_rf agrees with the values that Carlson published") {
    CHECK(relative(carlson_rf(1.0L, 2.0L, 0.0L), 1.3110287771460599052L) < kLastDigits);
    CHECK(relative(carlson_rf(0.5L, 1.0L, 0.0L), 1.8540746773013719184L) < kLastDigits);
    CHECK(relative(carlson_rf(2.0L, 3.0L, 4.0L), 0.58408284167715170669L) < kLastDigits);
}

TEST_CASE("a complementary parameter outside [0, 1] is refused") {
    for (const long double m1 : {-1e-30L, 1.5L, std::numeric_limits<long double>::quiet_NaN()}) {
        CHECK_THROWS_AS(elliptic_k(m1), std::invalid_argument);
        CHECK_THROWS_AS(elliptic_f(1.0L, m1), std::invalid_argument);
        CHECK_THROWS_AS(jacobi(1.0L, m1), std::invalid_argument);
    }
}
