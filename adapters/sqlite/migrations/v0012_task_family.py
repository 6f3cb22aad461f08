"""Tasks that are parts of others, and the names that clients give; none from before has either."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)

_TABLE = "tasks"


def upgrade() -> None:
    there = {column["name"] for column in sa.inspect(op.get_bind()).get_columns(_TABLE)}
    for name in ("parent_id", "external_id"):
        if name not in there:
            op.add_column(_TABLE, sa.Column(name, sa.String, nullable=True))
    op.create_index("ix_tasks_parent", _TABLE, ["parent_id", "id"], if_not_exists=True)
    op.create_index(
        "ix_tasks_external",
        _TABLE,
        ["workspace_id", "external_id"],
        unique=True,
        if_not_exists=True,
    )
