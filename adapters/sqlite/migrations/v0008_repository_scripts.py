"""The setup and cleanup scripts of repositories; none from before has one."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)

_TABLE = "repository_settings"
_COLUMNS = {"setup_script": "", "cleanup_script": "", "on_setup_failure": "continue"}


def upgrade() -> None:
    there = {column["name"] for column in sa.inspect(op.get_bind()).get_columns(_TABLE)}
    for name, before in _COLUMNS.items():
        if name not in there:
            op.add_column(_TABLE, sa.Column(name, sa.String, nullable=False, server_default=before))
