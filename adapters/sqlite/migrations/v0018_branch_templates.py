"""The branch templates of repositories; none from before has one."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)

_TABLE, _NAME = "repository_settings", "worktree_branch_template"


def upgrade() -> None:
    there = {column["name"] for column in sa.inspect(op.get_bind()).get_columns(_TABLE)}
    if _NAME not in there:
        op.add_column(_TABLE, sa.Column(_NAME, sa.String, nullable=False, server_default=""))
