"""The modules of a tree, and the classes that their names mean."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

Place = tuple[str, str]
"""A class by its module and name."""


class ModuleIndex:
    """Syntax trees by the modules' dotted names."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self.trees = {name: ast.parse(path.read_bytes()) for name, path in paths.items()}
        self.imports = {name: _imports(tree) for name, tree in self.trees.items()}
        """By module: what each imported name is, a module's when the second part is None."""
        self.classes: dict[Place, ast.ClassDef] = {
            (name, node.name): node
            for name, tree in self.trees.items()
            for node in tree.body
            if isinstance(node, ast.ClassDef)
        }

    def class_named(self, module: str, expression: ast.expr) -> Place | None:
        """The class that an expression names in a module; None for one that is not of the tree."""
        if isinstance(expression, ast.Subscript):
            return self.class_named(module, expression.value)
        if isinstance(expression, ast.Name):
            if (module, expression.id) in self.classes:
                return module, expression.id
            meant = self.imports[module].get(expression.id)
            return meant if meant in self.classes else None
        if isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
            origin, name = self.imports[module].get(expression.value.id, ("", None))
            place = (origin if name is None else f"{origin}.{name}", expression.attr)
            return place if place in self.classes else None
        return None


def _imports(tree: ast.Module) -> dict[str, tuple[str, str | None]]:
    found: dict[str, tuple[str, str | None]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for each in node.names:
                found[each.asname or each.name] = node.module, each.name
        elif isinstance(node, ast.Import):
            for each in node.names:
                name = each.asname or each.name.partition(".")[0]
                found[name] = (each.name if each.asname else name), None
    return found
