"""Fail on a function longer than a reader's head: 80 lines, or nested over five blocks deep.

Statements and cyclomatic complexity are ruff's to count; lines and nesting it does not bound (its
nesting rule counts per branch, without `match` and comprehensions).
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_LINES = 80
MAX_NESTING = 5

Function = ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.TryStar,
    ast.Match,
)


def nesting(node: ast.AST, depth: int = 0) -> int:
    """The deepest block below `node`; an `elif` stands at the depth of its `if`."""
    deepest = depth
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function | ast.Lambda | ast.ClassDef):
            continue
        chained = isinstance(node, ast.If) and isinstance(child, ast.If) and [child] == node.orelse
        deeper = depth + (isinstance(child, BLOCKS) and not chained)
        deepest = max(deepest, nesting(child, deeper))
    return deepest


def complaints(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes(), filename=str(path))):
        if not isinstance(node, Function):
            continue
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > MAX_LINES:
            yield f"{path}:{node.lineno}: {node.name} has {lines} lines (at most {MAX_LINES})"
        if (depth := nesting(node)) > MAX_NESTING:
            yield f"{path}:{node.lineno}: {node.name} nests {depth} deep (at most {MAX_NESTING})"


def main(folders: list[str]) -> int:
    found = [
        complaint
        for folder in folders
        for path in sorted(Path(folder).rglob("*.py"))
        for complaint in complaints(path)
    ]
    print("\n".join(found) if found else "functions: within bounds", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
