"""agentctl as one application, made from finished parts."""

from typing import Final

from litestar import Litestar
from litestar.di import Provide
from litestar.exceptions import HTTPException

from adapters.agentctl.server.beside_routes import BESIDE_ROUTES
from adapters.agentctl.server.bundle_routes import BUNDLE_ROUTES
from adapters.agentctl.server.door import Door
from adapters.agentctl.server.file_routes import work_with_files
from adapters.agentctl.server.git_routes import work_with_git
from adapters.agentctl.server.launch_route import launch
from adapters.agentctl.server.presence import Presence
from adapters.agentctl.server.refusals import RefusedError, on_bug, on_http, on_refused
from adapters.agentctl.server.routes import ROUTES, Core
from adapters.agentctl.server.terminal_routes import TERMINAL_ROUTES

__all__ = ("create_app",)

MAX_BODY_BYTES: Final = 16 * 1024 * 1024
"""The largest request: a launch with its environment, or a prompt, escaped."""


def create_app(core: Core, presence: Presence) -> Litestar:
    """No documentation routes, no log configuration: only the protocol."""

    def provide_core() -> Core:
        return core

    return Litestar(
        route_handlers=[
            *ROUTES,
            launch,
            *BESIDE_ROUTES,
            *TERMINAL_ROUTES,
            *BUNDLE_ROUTES,
            work_with_git,
            work_with_files,
        ],
        dependencies={"core": Provide(provide_core, sync_to_thread=False)},
        middleware=[Door(core.handshakes, presence)],
        exception_handlers={
            RefusedError: on_refused,
            HTTPException: on_http,
            Exception: on_bug,
        },
        request_max_body_size=MAX_BODY_BYTES,
        logging_config=None,
        openapi_config=None,
    )
