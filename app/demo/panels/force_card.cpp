// Selection card of a force field: its parameters, what it did, and the end of it.
#include <algorithm>

#include "actions.h"
#include "force_parameters.h"
#include "selection_card.h"

namespace substep {

namespace {

// Parameters as rows of the card.
class CardEditor final : public ParameterEditor {
public:
    explicit CardEditor(Widgets& widgets) : widgets_(widgets) {}

    bool number(const ParameterText& text, double& value) override {
        return widgets_.quantity(control(text), value, range(text));
    }
    bool vector(const ParameterText& text, glm::dvec3& value) override {
        return widgets_.vector(control(text), value, range(text));
    }
    void fixed(const char* label, const std::string& why) override { widgets_.read_out(label, why); }

private:
    static ControlText control(const ParameterText& text) {
        return {std::string("force_") + text.name, text.label,
                std::string(text.tip) + " Takes effect at the next step. Drag, or Ctrl+click to type.", ""};
    }
    static QuantityRange range(const ParameterText& text) {
        return {text.unit, text.least, std::numeric_limits<double>::infinity(), text.typical};
    }
    Widgets& widgets_;
};

} // namespace

void force_card(PanelContext& context, ForceFieldId id) {
    const World& world = context.simulation.scene().world;
    CardEditor editor(context.widgets);
    if (const FieldMaker changed = edit_parameters(world.force_field(id), editor)) {
        edit_world(context.simulation, context.view, [&](World& edited) { edited.set_force_field(id, changed()); });
    }

    // What the ledger says of it.
    const EnergyLedger ledger = world.energy_ledger();
    const auto own = std::ranges::find(ledger.fields, id, &FieldEnergy::field);
    if (own != ledger.fields.end()) {
        if (world.force_field(id).capabilities().potential != nullptr) {
            context.widgets.read_out("potential", number(own->potential, 3) + " J");
        }
        context.widgets.read_out("work beyond potential", number(own->work, 3) + " J");
    }
    if (context.widgets.button({"delete_force", "remove", "Takes the force out of the world.", ""})) {
        edit_world(context.simulation, context.view, [&](World& edited) { edited.remove_force_field(id); });
    }
}

} // namespace substep
