"""Branches and pull requests that tasks work on; none from before does."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)

_TABLE = "task_repositories"
_COLUMNS = {"checkout": sa.String, "pull_request": sa.Integer}


def upgrade() -> None:
    there = {column["name"] for column in sa.inspect(op.get_bind()).get_columns(_TABLE)}
    for name, kind in _COLUMNS.items():
        if name not in there:
            op.add_column(_TABLE, sa.Column(name, kind, nullable=True))
