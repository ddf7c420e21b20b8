// Which settings an island has, what it is granted, and what it books.
#include <doctest/doctest.h>

#include <vector>

#include "islands/island_books.h"
#include "islands/island_method.h"
#include "substep/engine/automatic.h"
#include "test_worlds.h"

using namespace engine_tests;
using namespace substep::detail;

namespace {

struct OneBody {
    Model model;
    std::vector<BodyId> bodies{model.bodies.insert(make_body({.shape = Sphere{0.5}, .mass = 1.0}, 0.0))};
};

} // namespace

TEST_CASE("an island may make as many evaluations as the world grants and its own budget allows, at least one") {
    OneBody body;
    body.model.settings.integrator.budget = 100;
    IslandMethod method;
    method.configure(body.model, body.bodies, 5.0);
    CHECK(method.limit(10) == 10);
    CHECK(method.limit(1000) == 100);
    CHECK(method.has_grant());
    CHECK(method.limit(0) == 1); // a budget of 0 would be none
    CHECK_FALSE(method.has_grant());
    method.configure(body.model, body.bodies, 5.0);
    CHECK(method.has_grant());
    body.model.settings.integrator.budget = 0;
    method.configure(body.model, body.bodies, 5.0);
    CHECK(method.limit(1000) == 1000);
}

TEST_CASE("no substep passes the next jump of a force, but the scheduled stop is that of the settings") {
    OneBody body;
    body.model.settings.integrator.t_stop = 3.0;
    IslandMethod method;
    method.configure(body.model, body.bodies, 2.0);
    CHECK(method.settings().t_stop == 2.0);
    CHECK(method.stop_time() == 3.0);
    method.configure(body.model, body.bodies, 4.0);
    CHECK(method.settings().t_stop == 3.0);
}

TEST_CASE("under auto a method is chosen, said in the report, and taken back with its memory") {
    OneBody body;
    body.model.settings.integrator = adaptive(1e-8, Boundary::RunAhead);
    IslandMethod method;
    method.configure(body.model, body.bodies, 5.0);
    CHECK_FALSE(method.is_automatic());
    CHECK(method.settings().method == "cash_karp54");

    body.model.settings.integrator.method = kAutoMethod;
    method.configure(body.model, body.bodies, 5.0);
    REQUIRE(method.is_automatic());
    CHECK(method.settings().method == "verner87");
    StepReport report;
    report.accepted = 1;
    report.boundary = Boundary::Exact; // touched in every frame
    CHECK(method.look(report, {.dt = kFrame}));
    CHECK(report.reason.starts_with("smooth motion"));
    CHECK(method.settings().method == "dormand_prince54");

    IslandMethod restored;
    restored.configure(body.model, body.bodies, 5.0);
    REQUIRE(restored.restore(method.memory()));
    CHECK(restored.settings().method == "dormand_prince54");
    restored.forget_steps();
    CHECK(restored.memory().choice == MethodChooser::Choice::Smooth);
    CHECK_FALSE(restored.restore({.substeps = -1}));
}

TEST_CASE("works are booked once, and an island that does not move has the energy that it had") {
    OneBody body;
    IslandForces forces;
    forces.build(body.model.bodies, body.model.fields, body.bodies, 1);
    std::vector<double> works(forces.ledger_terms(), 0.0);
    IslandBooks books;
    CHECK_FALSE(books.are_kept());
    books.open(works.size());
    CHECK(books.are_kept());
    books.begin_step(3.0);
    books.end_step(5.0);
    works[kDriveWork] = in_ledger_units(2.0);
    LedgerAccounts accounts;
    StepEnergy energy = books.settle(works, forces, accounts);
    CHECK(energy.before == 3.0);
    CHECK(energy.after == 5.0);
    CHECK(accounts.works[kDriveWork] == 2.0);
    energy = books.settle(works, forces, accounts);
    CHECK(energy.before == 5.0);
    CHECK(accounts.works[kDriveWork] == 2.0);

    // A snapshot's accounts have what its works say.
    works[kDriveWork] = in_ledger_units(8.0);
    books.resume(works, 7.0);
    energy = books.settle(works, forces, accounts);
    CHECK(energy.before == 7.0);
    CHECK(accounts.works[kDriveWork] == 2.0);
}
