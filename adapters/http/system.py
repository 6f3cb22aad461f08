"""What the server finds when it examines its installation, for who administers it."""

from litestar import get
from litestar.di import NamedDependency
from litestar.params import SkipValidation
from msgspec import Struct

from adapters.http.api import Api
from adapters.http.problems import accepted
from domain.checkup import Finding, Level, worst
from domain.principal import Principal

__all__ = ("system_health",)


class FindingBody(Struct, frozen=True):
    """`fix` is what to do; empty where nothing is to be done."""

    level: Level
    code: str
    subject: str
    seen: str
    fix: str

    @classmethod
    def of(cls, finding: Finding) -> "FindingBody":
        return cls(finding.level, finding.code, finding.subject, finding.seen, finding.fix)


class HealthBody(Struct, frozen=True):
    """`level` is the worst of the findings."""

    level: Level
    findings: list[FindingBody]


@get("/api/v1/system/health", tags=["system"])
async def system_health(
    api: NamedDependency[Api], principal: NamedDependency[SkipValidation[Principal]]
) -> HealthBody:
    """What `kandev doctor` finds, each with its fix. Asked again at once, the same is told."""
    found = accepted(await api.examine_installation(principal))
    return HealthBody(worst(found), [FindingBody.of(each) for each in found])
