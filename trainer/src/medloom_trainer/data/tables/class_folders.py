"""Folders with one subfolder of images for each class, possibly below folders train, val and test."""

from __future__ import annotations

from pathlib import Path

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.cells import IMAGE_SUFFIXES
from medloom_trainer.data.tables.column_names import SPLIT_WORDS, split_name
from medloom_trainer.data.tables.masks import is_mask_folder, without_masks
from medloom_trainer.errors import TrainerError
from medloom_trainer.folder_map import service_path

ClassFile = tuple[str, str, Path]
"""(split, class, file); split "" without folders train, val and test."""


def class_files(folder: Path) -> list[ClassFile]:
    """(split, class, file) of every image in a subfolder for each class, without masks; split "" without
    folders train, val and test. DATASET_INVALID if there is none.
    """
    divided = [child for child in _subfolders(folder) if child.name.casefold() in SPLIT_WORDS]
    files = [
        (split, name, file)
        for split, place in [(split_name(child.name), child) for child in divided] or [("", folder)]
        for name, images in _class_folders(place).items()
        for file in images
    ]
    if not files:
        message = phrase("nothing_in_folder", folder=name_of(folder))
        raise TrainerError("DATASET_INVALID", message, phrase("adopt_other_formats"))
    return files


def mask_files(folder: Path) -> list[Path]:
    """The images in the subfolders of a dataset that are masks of other images, and so no cases."""
    divided = [child for child in _subfolders(folder) if child.name.casefold() in SPLIT_WORDS]
    masks = []
    for place in divided or [folder]:
        images = {file for files in _class_folders(place).values() for file in files}
        masks += [file for child in _subfolders(place) for file in _image_files(child) if file not in images]
    return masks


def _class_folders(place: Path) -> dict[str, list[Path]]:
    """Class → its images, without masks in the same folder and without folders of masks."""
    found = {child.name: _image_files(child) for child in _subfolders(place)}
    names = {name: [file.name for file in files] for name, files in found.items()}
    classes = {}
    for name, files in found.items():
        others = [file for other, several in names.items() if other != name for file in several]
        if not is_mask_folder(name, names[name], others):
            images = set(without_masks(names[name]))
            classes[name] = [file for file in files if file.name in images]
    return classes


def name_of(folder: Path) -> str:
    """The name that the user knows: a mounted folder may have another name here."""
    return service_path(folder).name


def _subfolders(folder: Path) -> list[Path]:
    return sorted(child for child in folder.iterdir() if child.is_dir() and not child.name.startswith("."))


def _image_files(folder: Path) -> list[Path]:
    return sorted(
        file for file in folder.iterdir() if file.name.lower().endswith(IMAGE_SUFFIXES) and file.is_file()
    )
