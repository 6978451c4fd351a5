"""The modules that each Python file of the trainer imports, as JSON on standard output.

{file: {"module": its name, "imports": [names of modules]}}

Usage: python_imports.py ROOT. It only parses the files; nothing is imported.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path

# Folders from which modules are imported, as paths from the root.
SOURCES = ("trainer/src", "trainer/tests")


def module_name(path: Path, source: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(tree: ast.AST, module: str, is_package: bool) -> Iterator[str]:
    """Names of modules; "from a import b" returns a and a.b, because b can be a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level > 0:
                parents = module.split(".")
                parents = parents[: len(parents) - node.level + is_package]
                base = ".".join([*parents, *([base] if base else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def main(root: Path) -> None:
    found = {}
    for source in (root / name for name in SOURCES):
        for path in sorted(source.rglob("*.py")):
            module = module_name(path, source)
            tree = ast.parse(path.read_bytes())
            names = sorted(set(imports(tree, module, path.name == "__init__.py")))
            found[path.relative_to(root).as_posix()] = {"module": module, "imports": names}
    json.dump(found, sys.stdout)


main(Path(sys.argv[1]))
