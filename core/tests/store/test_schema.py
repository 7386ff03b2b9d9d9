import pytest

from handloom.errors import StoreError
from handloom.store import SCHEMA
from handloom.store.schema import MIGRATIONS, check_schema, migrations_from


def test_migrations_lead_from_every_schema_to_the_newest():
    assert sorted(MIGRATIONS) == list(range(1, SCHEMA))


def test_migrations_run_in_order_from_the_schema_found(tmp_path):
    done = []
    table = {n: lambda scene, disk, n=n: done.append(n) for n in (1, 2, 3)}
    for migrate in migrations_from(2, newest=4, table=table):
        migrate(tmp_path, None)
    assert done == [2, 3]


def test_a_missing_migration_is_a_sentence():
    with pytest.raises(StoreError, match="No migration leads on from store schema 2"):
        migrations_from(1, newest=3, table={1: lambda scene, disk: None})


@pytest.mark.parametrize("found", [None, "1", 0])
def test_a_zarr_group_that_is_no_scene_is_told_so(tmp_path, found):
    with pytest.raises(StoreError, match="not a Handloom scene"):
        check_schema(tmp_path, found)
