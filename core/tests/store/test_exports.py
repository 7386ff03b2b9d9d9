import handloom.store


def test_the_public_names_are_these():
    assert handloom.store.__all__ == [
        "SCHEMA",
        "STAGING",
        "Commit",
        "Disk",
        "Entry",
        "Failure",
        "FileHashes",
        "Finding",
        "Ledger",
        "Provenance",
        "Scene",
        "SceneSummary",
        "SourceFile",
        "StagedStep",
        "StepKey",
        "StepRecord",
        "StepSummary",
        "StreamSummary",
        "create_scene",
        "inspect",
        "is_disk_full",
        "settings_hash",
        "stage",
        "state_on_disk",
        "verify",
    ]
