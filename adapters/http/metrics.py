"""The route of the metrics, for Prometheus to read with the token of a client."""

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import SkipValidation

from adapters.http.api import Api
from adapters.http.problems import accepted
from domain.metrics import MEDIA_TYPE, exposition
from domain.principal import Principal

__all__ = ("metrics",)


@get("/metrics", tags=["system"], media_type=MEDIA_TYPE)
async def metrics(
    api: NamedDependency[Api], principal: NamedDependency[SkipValidation[Principal]]
) -> Response[str]:
    """What the installation stores, answers and uses, in the text that Prometheus reads."""
    measured = accepted(await api.read_metrics(principal))
    text = exposition([*measured, api.request_meter.metric()])
    return Response(text, media_type=MEDIA_TYPE)
