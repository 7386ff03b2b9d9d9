"""Loads a dataset with UMI's own training class, unmodified: `umi_dataset_check.py CHECKOUT FILE.zarr.zip`.

Runs in the environment that the checkout needs, without Handloom; see docs/umi-dataset.md. CHECKOUT is a clone of
real-stanford/universal_manipulation_interface. Prints what was seen and ends with 1 when something is not as UMI's
configuration `task/umi.yaml` says.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def task_of(checkout: Path) -> Any:
    """Return UMI's own task configuration, its arithmetic done."""
    from omegaconf import OmegaConf

    OmegaConf.register_new_resolver("eval", eval, replace=True)
    task = OmegaConf.load(checkout / "diffusion_policy" / "config" / "task" / "umi.yaml")
    return OmegaConf.create({"task": task}).task


def dataset_of(task: Any, path: Path, cache: str | None) -> Any:
    """Return the dataset as UMI's training makes it."""
    import hydra

    return hydra.utils.instantiate(task.dataset, dataset_path=str(path), cache_dir=cache)


def wrong_shapes(task: Any, item: Any) -> list[str]:
    """Return what of a sample does not have the shape that the configuration gives."""
    expected = {key: (value.horizon, *value.shape) for key, value in task.shape_meta.obs.items()}
    found = {key: tuple(value.shape) for key, value in item["obs"].items()}
    wrong = [
        f"{key}: {found.get(key)} instead of {shape}" for key, shape in expected.items() if found.get(key) != shape
    ]
    action = (task.shape_meta.action.horizon, *task.shape_meta.action.shape)
    if tuple(item["action"].shape) != action:
        wrong.append(f"action: {tuple(item['action'].shape)} instead of {action}")
    return wrong


def samples_of(task: Any, dataset: Any) -> tuple[Any, list[str]]:
    """Return the last sample, and what is wrong with the first and the last."""
    problems = []
    for index in (0, len(dataset) - 1):
        item = dataset[index]
        problems += wrong_shapes(task, item)
        values = {**item["obs"], "action": item["action"]}
        infinite = [key for key, value in values.items() if not value.isfinite().all()]
        problems += [f"{key} of sample {index} is not finite" for key in infinite]
    return values, problems


def main(checkout: Path, path: Path) -> int:
    """Load the dataset both ways, take samples and the normaliser, and say what was seen."""
    import tempfile

    import numpy
    import torch
    import zarr

    sys.path.insert(0, str(checkout))
    versions = {"zarr": zarr.__version__, "numpy": numpy.__version__, "torch": torch.__version__}
    print(f"python {sys.version.split()[0]}", *(f"{name} {version}" for name, version in versions.items()))
    task = task_of(checkout)
    with tempfile.TemporaryDirectory() as folder:
        problems: list[str] = []
        for cache in (None, folder):
            dataset = dataset_of(task, path, cache)
            ends = dataset.replay_buffer.episode_ends[:].tolist()
            print(
                f"{'through the cache' if cache else 'in memory'}: episodes end at {ends}, {len(dataset)} samples"
            )
            values, found = samples_of(task, dataset)
            problems += found
        for key, value in values.items():
            print(f"  {key}: {tuple(value.shape)}, {float(value.min()):.4f} to {float(value.max()):.4f}")
        print(f"validation samples {len(dataset.get_validation_dataset())}")
        print(f"normaliser of {', '.join(sorted(dataset.get_normalizer().params_dict.keys()))}")
    print("\n".join(problems) or "everything is as UMI's configuration says")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
