"""The credential policy of a workspace; every workspace from before is `managed`."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)

_TABLE = "github_workspace_settings"
_COLUMN = "task_git_credentials_mode"


def upgrade() -> None:
    columns = sa.inspect(op.get_bind()).get_columns(_TABLE)
    if _COLUMN not in {column["name"] for column in columns}:
        op.add_column(
            _TABLE, sa.Column(_COLUMN, sa.String, nullable=False, server_default="managed")
        )
