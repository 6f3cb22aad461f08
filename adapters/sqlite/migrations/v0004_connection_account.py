"""The account that a GitHub App is installed in; unknown for every connection from before."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)

_TABLE = "github_workspace_connections"
_COLUMN = "account"


def upgrade() -> None:
    columns = sa.inspect(op.get_bind()).get_columns(_TABLE)
    if _COLUMN not in {column["name"] for column in columns}:
        op.add_column(_TABLE, sa.Column(_COLUMN, sa.String))
