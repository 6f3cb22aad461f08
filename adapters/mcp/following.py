"""Telling a client that lists and resources changed, as it asked to be told.

Since 2026-07-28 a client asks with `subscriptions/listen`, whose answer is the stream. Before that,
a server on a standing connection tells of the lists without being asked, and of the resources that
the client subscribed to.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY, event_to_notification
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    EmptyResult,
    NotificationParams,
    SubscribeRequestParams,
    SubscriptionFilter,
    SubscriptionsAcknowledgedNotification,
    SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from adapters.mcp.backend import Backend
from adapters.mcp.wanted import Wanted
from domain.principal import Principal
from domain.tool_bounds import MAX_STREAMS

__all__ = ("Listen", "listening", "stand")

Context = ServerRequestContext[Any, Any]
Listen: TypeAlias = Callable[
    [Context, SubscriptionsListenRequestParams], Awaitable[SubscriptionsListenResult]
]

TOO_MANY: Final = "too_many_subscriptions: subscribe to fewer resources."
TOO_MANY_STREAMS: Final = "too_many_streams: end one that you listen to."


def listening(backend: Backend, principal: Callable[[Context], Principal]) -> Listen:
    """Serves one stream a call. It ends when the client leaves, or reads too slowly."""
    streams = 0

    async def listen(
        context: Context, asked: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        nonlocal streams
        wanted, honoured = agreed(principal(context), asked.notifications)
        if streams >= MAX_STREAMS:
            raise MCPError(INTERNAL_ERROR, TOO_MANY_STREAMS)
        streams += 1
        try:
            return await tell(backend, context, wanted, honoured)
        finally:
            streams -= 1

    return listen


async def tell(
    backend: Backend, context: Context, wanted: Wanted, honoured: SubscriptionFilter
) -> SubscriptionsListenResult:
    """Say what the client is told of, and then tell it."""
    if context.request_id is None:
        raise MCPError(INVALID_REQUEST, "subscriptions/listen needs the id of a request.")
    meta: dict[str, Any] = {SUBSCRIPTION_ID_META_KEY: context.request_id}
    acknowledged = SubscriptionsAcknowledgedNotification(
        params=SubscriptionsAcknowledgedNotificationParams(notifications=honoured, _meta=meta)
    )
    with backend.store.follow() as following:
        await context.session.send_notification(acknowledged, context.request_id)
        while changes := await following():
            for event in await wanted.events(backend, changes):
                told = event_to_notification(event, meta)
                await context.session.send_notification(told, context.request_id)
    return SubscriptionsListenResult(_meta=meta)


def agreed(principal: Principal, asked: SubscriptionFilter) -> tuple[Wanted, SubscriptionFilter]:
    """What a client is told of, of what it asked for: the list of tools never changes."""
    wanted = Wanted(
        principal,
        resources=asked.resources_list_changed is True,
        prompts=asked.prompts_list_changed is True,
    )
    for uri in asked.resource_subscriptions or ():
        subscribe(wanted, uri)
    return wanted, SubscriptionFilter(
        prompts_list_changed=wanted.prompts or None,
        resources_list_changed=wanted.resources or None,
        resource_subscriptions=asked.resource_subscriptions or None,
    )


def subscribe(wanted: Wanted, uri: str) -> None:
    if not wanted.subscribe(uri):
        raise MCPError(INVALID_PARAMS, TOO_MANY)


def stand(server: Server[Any], backend: Backend, principal: Principal) -> None:
    """Tell the one client of a standing connection, from its handshake until it leaves."""
    wanted = Wanted(principal, resources=True, prompts=True)
    begun = False

    async def initialized(context: Context, _: NotificationParams) -> None:
        nonlocal begun
        if begun:
            return
        begun = True
        with backend.store.follow() as following:
            while changes := await following():
                for event in await wanted.events(backend, changes):
                    await context.session.send_notification(event_to_notification(event, {}))

    async def subscribed(_: Context, asked: SubscribeRequestParams) -> EmptyResult:
        subscribe(wanted, asked.uri)
        return EmptyResult()

    async def unsubscribed(_: Context, asked: UnsubscribeRequestParams) -> EmptyResult:
        wanted.unsubscribe(asked.uri)
        return EmptyResult()

    server.add_notification_handler("notifications/initialized", NotificationParams, initialized)
    server.add_request_handler("resources/subscribe", SubscribeRequestParams, subscribed)
    server.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, unsubscribed)
