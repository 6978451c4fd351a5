"""Allowed imports in the trainer: data flows in one direction through its folders, and there are no
cycles."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from testing.sources import ROOT, nodes_of, parsed, source_files

PACKAGE = "medloom_trainer"

GROUND = {
    *("allocator", "concurrency", "contract", "csv_table", "durations", "errors", "failure", "fast_exit"),
    *(
        "files",
        "folder_map",
        "memory_limit",
        "nested_json",
        "plurals",
        "private_folder",
        "regular_files",
        "software",
        "unicode_text",
    ),
    "warnings",
}
"""The only floor whose parts import one another: errors have codes, and reading a contract can fail."""
FLOORS = (
    GROUND,
    {"data", "exchange", "search"},
    {"model"},
    {"metrics"},
    {"outcomes"},
    {"inference"},
    {"training", "export"},
    {"baselines", "cases"},
    {"evaluation", "browse", "custom"},
    {"follow_up"},
    {"prediction"},
    {"jobs", "nodes"},
    {"worker"},
    {"cluster", "remote"},
    {"__main__"},
)
"""Folders and modules of the package, the lowest floor first. Each imports only from lower floors."""

SLOW_TO_IMPORT = {"sklearn", "scipy.stats"}
"""Importing each takes a second of a core. Most processes use neither."""
SLEEPS = f"{PACKAGE}.concurrency.waiting"
"""The only module that calls time.sleep."""
LINES_OF_A_FUNCTION = 60
"""Including its signature and its documentation."""
DATA_FOLDERS = ("tables", "images", "cache", "splits", "features", "checks")
"""In the order of the data flow: each imports from those before it."""
PREPARATIONS = {
    "prepare": "prepare",
    "apply": "prepare_cases",
    "each_case": "prepare_each_case",
    "outline": "outline",
}
"""Module above the folders → its function that calls the folders in order."""
DATA_ENTRIES = {"types", *PREPARATIONS, *DATA_FOLDERS}
"""Names that the other folders of the package import from data/."""


def test_every_part_has_a_floor() -> None:
    parts = {first(name) for name in modules()} - {""}
    assert sorted(part for floor in FLOORS for part in floor) == sorted(parts)


@pytest.mark.slow
def test_no_floor_imports_from_a_higher_one_or_its_own() -> None:
    floor_of = {part: number for number, floor in enumerate(FLOORS) for part in floor}
    wrong = [
        f"{importer} imports {imported}"
        for importer, imported in imports()
        if (one := first(importer)) != (other := first(imported))
        and "" not in (one, other)
        and not {one, other} <= GROUND
        and floor_of[other] >= floor_of[one]
    ]
    assert wrong == []


def test_the_map_of_the_documentation_shows_these_floors() -> None:
    page = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text("utf-8")
    section = page.split("## The trainer\n")[1].split("\nFolders of ")[0]
    shown = [set(line.split()) for line in re.findall(r"^ {4}(\w+(?: {2}\w+)*) {3,}\S", section, re.M)]
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()}
    assert shown == [floor & folders for floor in reversed(FLOORS) if floor & folders]


def test_nothing_imports_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for importer, imported in imports():
        graph.setdefault(importer, set()).add(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" → ".join(error.args[1])) from None


def test_data_goes_one_way_through_its_folders() -> None:
    wrong = []
    for importer, imported in imports():
        one, other = data_folder(importer), data_folder(imported)
        if one in DATA_FOLDERS and other != one and imported != f"{PACKAGE}.data.types":
            if other not in DATA_FOLDERS and imported.startswith(f"{PACKAGE}.data"):
                wrong.append(f"{importer} imports {imported}, which is above all folders")
            elif other in DATA_FOLDERS and DATA_FOLDERS.index(other) > DATA_FOLDERS.index(one):
                wrong.append(f"{importer} imports {imported}, which comes later")
    assert wrong == []


def test_a_folder_of_the_data_is_imported_through_its_entry() -> None:
    wrong = [
        f"{importer} imports {imported}"
        for importer, imported in imports()
        if (folder := data_folder(imported)) in DATA_FOLDERS
        and data_folder(importer) != folder
        and imported != f"{PACKAGE}.data.{folder}"
    ]
    assert wrong == []


def test_an_entry_of_the_data_names_only_what_is_used_outside_of_its_folder() -> None:
    used = {
        (str(node.module), alias.name)
        for name, file in modules().items()
        for node in nodes_of(file)
        if isinstance(node, ast.ImportFrom) and data_folder(name) != data_folder(str(node.module))
        for alias in node.names
    }
    entries = {folder: f"{PACKAGE}.data.{folder}" for folder in DATA_FOLDERS}
    unused = [
        f"{folder}: {alias.name}"
        for folder, entry in entries.items()
        for node in parsed(modules()[entry]).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if (entry, alias.name) not in used
    ]
    assert unused == []


def test_a_preparation_takes_a_table_through_each_folder_once() -> None:
    above = {file.stem for file in (ROOT / "data").glob("*.py")}
    assert above == {"__init__", "types", *PREPARATIONS}, "a step of a preparation belongs to a folder"
    for module, function in PREPARATIONS.items():
        tree = parsed(ROOT / "data" / f"{module}.py")
        steps = [DATA_FOLDERS.index(folder) for folder in folders_called(tree, function)]
        assert steps and steps == sorted(steps), (module, steps)


def test_other_folders_import_the_entries_of_the_data() -> None:
    wrong = [
        f"{importer} imports {imported}"
        for importer, imported in imports()
        if first(imported) == "data"
        and first(importer) != "data"
        and (len(imported.split(".")) != 3 or imported.split(".")[2] not in DATA_ENTRIES)
    ]
    assert wrong == []


def test_the_entries_of_the_data_say_what_goes_in_and_out() -> None:
    for folder in DATA_FOLDERS:
        text = ast.get_docstring(parsed(ROOT / "data" / folder / "__init__.py"))
        assert text is not None and "\nIn: " in text and "\nOut: " in text, folder


def test_what_is_slow_to_import_is_imported_where_it_is_used() -> None:
    at_the_top = [
        (name, library)
        for name, file in modules().items()
        for node in parsed(file).body
        for library in libraries(node)
        if any(f"{library}.".startswith(f"{slow}.") for slow in SLOW_TO_IMPORT)
    ]
    assert at_the_top == []


def test_one_module_sleeps() -> None:
    sleeping = {
        name
        for name, file in modules().items()
        for node in nodes_of(file)
        if isinstance(node, ast.Attribute) and node.attr == "sleep"
    }
    assert sleeping == {SLEEPS}


def libraries(node: ast.stmt) -> list[str]:
    """Modules that an import may load; for "from a import b" both a and a.b."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


@cache
def imports() -> tuple[tuple[str, str], ...]:
    """(module, imported module or package of the trainer), including imports inside functions."""
    return tuple(_imports())


def _imports() -> Iterator[tuple[str, str]]:
    ours = modules()
    for name, file in ours.items():
        for node in nodes_of(file):
            if isinstance(node, ast.Import):
                yield from ((name, alias.name) for alias in node.names if alias.name in ours)
            elif isinstance(node, ast.ImportFrom) and node.module in ours:
                for alias in node.names:
                    member = f"{node.module}.{alias.name}"
                    yield name, member if member in ours else str(node.module)


def folders_called(tree: ast.Module, function: str) -> Iterator[str]:
    """The folder of each function that a function of this module calls, in the order of the text, including
    calls in other functions of its module.
    """
    own = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    folder_of = {
        alias.name: data_folder(str(node.module))
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    calls = [
        node.func
        for node in ast.walk(own[function])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        if call.id in own:
            yield from folders_called(tree, call.id)
        elif folder_of.get(call.id) in DATA_FOLDERS:
            yield folder_of[call.id]


@cache
def modules() -> dict[str, Path]:
    return {name_of(file): file for file in source_files()}


def name_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join((PACKAGE, *(part for part in parts if part != "__init__")))


def first(module: str) -> str:
    """medloom_trainer.data.tables.cells → data; the package itself → ""."""
    return [*module.split("."), ""][1]


def data_folder(module: str) -> str:
    parts = module.split(".")
    return parts[2] if len(parts) > 2 and parts[1] == "data" else ""


def test_functions_read_on_one_screen() -> None:
    """The linter checks those of TypeScript."""
    functions = [
        (file.name, node.name, (node.end_lineno or 0) - node.lineno + 1)
        for file in source_files()
        for node in nodes_of(file)
        if isinstance(node, ast.FunctionDef)
    ]
    assert len(functions) > 500
    assert [function for function in functions if function[2] > LINES_OF_A_FUNCTION] == []
