"""The control plane's REST surface as one application, made from finished use cases."""

from collections.abc import Collection
from typing import Any

from litestar import Litestar, Request, get
from litestar.di import NamedDependency, Provide
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme

from adapters.http.access_tokens import AccessTokens
from adapters.http.api import Api
from adapters.http.audit import Audit
from adapters.http.authentication import Authentication
from adapters.http.browsers import BrowserRoutes
from adapters.http.bundles import BundleRoutes
from adapters.http.documented import DocumentedProblems, answer_options
from adapters.http.door import PRINCIPAL, Door
from adapters.http.error_reports import ErrorReports
from adapters.http.events import stream_events
from adapters.http.ledger import Ledger
from adapters.http.members import Members
from adapters.http.metrics import metrics
from adapters.http.mounts import Mounted, mount
from adapters.http.problems import RefusalError, on_bug, on_http, on_refusal, on_store
from adapters.http.processes import Processes
from adapters.http.profiles import AgentProfiles, ExecutorProfiles
from adapters.http.questions import Questions
from adapters.http.queue import Queue
from adapters.http.repositories import Repositories
from adapters.http.saved_prompts import SavedPrompts
from adapters.http.session_files import SessionFiles
from adapters.http.session_git import SessionGit
from adapters.http.sessions import Sessions
from adapters.http.shapes import AgentBody
from adapters.http.system import system_health
from adapters.http.tasks import Tasks
from adapters.http.terminals import Terminals, stream_terminal
from adapters.http.users import Invitations, Users
from adapters.http.workspaces import Settings, Workspaces
from domain.principal import Principal
from domain.public_address import PublicUrl
from domain.task import MAX_PROMPT_BYTES
from ports.store import StoreUnavailable
from ports.tokens import Tokens

__all__ = ("create_app",)

MAX_BODY_BYTES = 6 * MAX_PROMPT_BYTES + 64 * 1024
"""The largest request body: a prompt at its bound, each byte of it escaped as six (RFC 8259,
section 7), with room for the rest."""


@get("/health", tags=["system"], security=[{}])
async def health(api: NamedDependency[Api]) -> dict[str, str]:
    return {"status": "ok", "version": api.version}


@get("/api/v1/agents", tags=["system"])
async def agents(api: NamedDependency[Api]) -> list[AgentBody]:
    """The agents that can be launched, and which of them are installed."""
    return [AgentBody.of(each) for each in api.agents.all()]


def create_app(
    api: Api,
    tokens: Tokens,
    hosts: Collection[str],
    mcp: Mounted | None = None,
    public: PublicUrl | None = None,
) -> Door:
    """`hosts` are the values of Host that name this server; `mcp` is served at `/mcp`.

    `public` is what a proxy on this machine serves it as.
    """

    def provide_api() -> Api:
        return api

    def provide_principal(request: Request[Any, Any, Any]) -> Principal:
        principal: Principal = request.scope["state"][PRINCIPAL]
        return principal

    app = Litestar(
        route_handlers=[
            health,
            metrics,
            system_health,
            agents,
            Workspaces,
            Members,
            Repositories,
            AgentProfiles,
            ExecutorProfiles,
            Settings,
            Tasks,
            Sessions,
            Queue,
            SessionFiles,
            SessionGit,
            Processes,
            Ledger,
            Audit,
            Questions,
            SavedPrompts,
            AccessTokens,
            Authentication,
            Users,
            Invitations,
            BundleRoutes,
            BrowserRoutes,
            ErrorReports,
            stream_events,
            Terminals,
            stream_terminal,
            *([mount("/mcp", mcp)] if mcp is not None else []),
        ],
        dependencies={
            "api": Provide(provide_api, sync_to_thread=False),
            "principal": Provide(provide_principal, sync_to_thread=False),
        },
        exception_handlers={
            RefusalError: on_refusal,
            HTTPException: on_http,
            StoreUnavailable: on_store,
            Exception: on_bug,
        },
        request_max_body_size=MAX_BODY_BYTES,
        logging_config=None,
        plugins=[DocumentedProblems()],
        before_request=answer_options,
        openapi_config=OpenAPIConfig(
            title="Kandev",
            version=api.version,
            path="/api/v1/schema",
            render_plugins=[JsonRenderPlugin(path="/openapi.json")],
            components=Components(
                security_schemes={"bearer": SecurityScheme(type="http", scheme="bearer")}
            ),
            security=[{"bearer": []}],
        ),
    )
    return Door(app, hosts, tokens, api.revocations, api.request_meter, public)
