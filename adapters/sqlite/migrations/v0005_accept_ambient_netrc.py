"""Whether a workspace accepts a `.netrc` beside managed access; none from before does."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)

_TABLE = "github_workspace_settings"
_COLUMN = "accept_ambient_netrc"


def upgrade() -> None:
    columns = sa.inspect(op.get_bind()).get_columns(_TABLE)
    if _COLUMN not in {column["name"] for column in columns}:
        op.add_column(_TABLE, sa.Column(_COLUMN, sa.Integer, nullable=False, server_default="0"))
