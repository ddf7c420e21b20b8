// The order conditions of every tableau, checked by the compiler: of the row that is propagated, of the embedded ones,
// and of dense output.
#include "substep/integrators/tableaux.h"

#include "substep/integrators/dormand_prince853.h"
#include "substep/integrators/verner87.h"

namespace substep {

static_assert(order_of(kExplicitEuler, kExplicitEuler.b, 3) == 1);
static_assert(order_of(kHeun2, kHeun2.b, 4) == 2);
static_assert(order_of(kRk4, kRk4.b, 6) == 4);

// The embedded row of step doubling is the extrapolation.
static_assert(order_of(kRk4Doubling, kRk4Doubling.b, 5) == 4);
static_assert(order_of(kRk4Doubling, kRk4Doubling.b_embedded(), 6) == 5);
static_assert(dense_order_of(kRk4Doubling, kRk4DoublingExtension, 5) == 4);

static_assert(order_of(kBogackiShampine32, kBogackiShampine32.b, 5) == 3);
static_assert(order_of(kBogackiShampine32, kBogackiShampine32.b_embedded(), 5) == 2);

static_assert(order_of(kFehlberg54, kFehlberg54.b, 6) == 5);
static_assert(order_of(kFehlberg54, kFehlberg54.b_embedded(), 6) == 4);

static_assert(order_of(kCashKarp54, kCashKarp54.b, 6) == 5);
static_assert(order_of(kCashKarp54, kCashKarp54.b_embedded(), 6) == 4);

static_assert(order_of(kDormandPrince54, kDormandPrince54.b, 6) == 5);
static_assert(order_of(kDormandPrince54, kDormandPrince54.b_embedded(), 6) == 4);
static_assert(dense_order_of(kDormandPrince54, kDormandPrince54Extension, 5) == 4);

static_assert(order_of(kTsitouras54, kTsitouras54.b, 6) == 5);
static_assert(order_of(kTsitouras54, kTsitouras54.b_embedded(), 6) == 4);
static_assert(dense_order_of(kTsitouras54, kTsitouras54Extension, 5) == 4);

// 486 trees of up to nine nodes.
static_assert(order_of(kDormandPrince853, kDormandPrince853.b, 9) == 8);
static_assert(order_of(kDormandPrince853, kDormandPrince853.b_embedded(), 7) == 5);
static_assert(order_of(kDormandPrince853, kDormandPrince853.b_coarse(), 5) == 3);
static_assert(dense_order_of(kDormandPrince853, kDormandPrince853Extension, 8) == 7);

static_assert(order_of(kVerner87, kVerner87.b, 9) == 8);
static_assert(order_of(kVerner87, kVerner87.b_embedded(), 8) == 7);
static_assert(dense_order_of(kVerner87, kVerner87Extension, 8) == 7);

} // namespace substep
