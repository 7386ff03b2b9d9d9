"""The damper keeps the contract of laws."""

import numpy as np
import pytest

from handloom.testing import LawContract

pytest.importorskip("acme_damper_law", reason="it is compiled when it is installed, which needs a compiler")
from acme_damper_law import Damper


class TestDamper(LawContract):
    component = Damper


def test_what_the_damper_does_not_tell_is_nan():
    from handloom_controllers.laws import ForeignLaw
    from handloom_controllers.native.structs import new

    law = TestDamper().started()
    table = law.native()
    state, reference, command = (new(name) for name in ("hl_state", "hl_reference", "hl_command"))
    state["joints"] = 7
    assert ForeignLaw(table.address, table.owner).step(state, reference, command) == 0
    assert all(np.isnan(command[name]).all() for name in ("T_base_tcp", "error"))
    assert np.isfinite(command["wrench"][:3]).all()
    assert np.isnan(command["wrench"][3:]).all()
