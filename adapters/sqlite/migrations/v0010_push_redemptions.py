"""Which redemption a push was matched with; entries of before are of no push."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)

_TABLE = "credential_ledger"


def upgrade() -> None:
    known = {column["name"] for column in sa.inspect(op.get_bind()).get_columns(_TABLE)}
    if "redemption" not in known:
        op.add_column(_TABLE, sa.Column("redemption", sa.Integer))
