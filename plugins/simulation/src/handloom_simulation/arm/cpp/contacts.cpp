// What touches the arm: the force on it, and whether it touches itself.
#include <algorithm>
#include <cmath>

#include "arm.hpp"

namespace arm {
namespace {

// Adds the force on the arm of one contact, in world axes. MuJoCo gives it on the second geom, in the contact's frame.
void AddForce(const hl_arm& arm, int index, double sign, double* force) noexcept {
  double in_contact[6];
  mj_contactForce(arm.plant_model, arm.plant, index, in_contact);
  const double* frame = arm.plant->contact[index].frame;
  for (int axis = 0; axis < 3; ++axis) {
    for (int row = 0; row < 3; ++row) force[axis] += sign * frame[3 * row + axis] * in_contact[row];
  }
}

}  // namespace

bool OfArm(const hl_arm& arm, int geom) noexcept {
  const mjModel* m = arm.plant_model;
  const int root = m->body_rootid[m->site_bodyid[arm.config.plant_flange]];
  return geom >= 0 && m->body_rootid[m->geom_bodyid[geom]] == root;
}

void Contacts(hl_arm& arm) noexcept {
  double* force = arm.truth.contact_force;
  std::fill(force, force + 3, 0.0);
  for (int i = 0; i < arm.plant->ncon; ++i) {
    const mjContact& contact = arm.plant->contact[i];
    const bool first = OfArm(arm, contact.geom[0]), second = OfArm(arm, contact.geom[1]);
    if (first && second) {
      Raise(arm, HL_REFLEX_SELF_COLLISION);
    } else if (first != second && contact.efc_address >= 0) {
      AddForce(arm, i, second ? 1 : -1, force);
    }
  }
  const double norm = std::sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
  arm.truth.contact_peak = std::max(arm.truth.contact_peak, norm);
}

}  // namespace arm
