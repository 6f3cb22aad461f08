"""The server on stdio for clients that start one: each request goes on to the control plane."""

import asyncio
from typing import Any, Final

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY, event_to_notification
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    NotificationParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    SubscriptionsAcknowledgedNotification,
    SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
)

from domain.secret import Secret

__all__ = ("serve_stdio",)

TIMEOUT = httpx2.Timeout(10, read=600)
"""Seconds; a tool may wait for an agent."""
LISTEN_AGAIN_SECONDS: Final = 5.0
"""How long an older client's lists are not followed when the control plane has gone away."""

Context = ServerRequestContext[Any, Any]
Page = PaginatedRequestParams | None


async def serve_stdio(url: str, token: Secret, version: str) -> None:
    """Serve on standard input and output until the client closes them."""
    headers = {"authorization": f"Bearer {token.reveal()}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=TIMEOUT, trust_env=False) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), cache=None) as plane,
        stdio_server() as (read, write),
    ):
        server = forwarding(plane, version)
        changing = NotificationOptions(prompts_changed=True, resources_changed=True)
        await server.run(read, write, server.create_initialization_options(changing))


def forwarding(plane: Client, version: str) -> Server[Any]:
    """A server that has what the other end of `plane` has."""

    async def list_tools(_: Context, asked: Page) -> ListToolsResult:
        return await plane.list_tools(cursor=asked.cursor if asked else None)

    async def call_tool(context: Context, asked: CallToolRequestParams) -> CallToolResult:
        wanted = (context.meta or {}).get("progress_token") is not None
        progress = context.session.report_progress if wanted else None
        return await plane.call_tool(asked.name, asked.arguments, progress_callback=progress)

    async def list_resources(_: Context, asked: Page) -> ListResourcesResult:
        return await plane.list_resources(cursor=asked.cursor if asked else None)

    async def list_templates(_: Context, asked: Page) -> ListResourceTemplatesResult:
        return await plane.list_resource_templates(cursor=asked.cursor if asked else None)

    async def read_resource(_: Context, asked: ReadResourceRequestParams) -> ReadResourceResult:
        return await plane.read_resource(asked.uri)

    async def list_prompts(_: Context, asked: Page) -> ListPromptsResult:
        return await plane.list_prompts(cursor=asked.cursor if asked else None)

    async def get_prompt(_: Context, asked: GetPromptRequestParams) -> GetPromptResult:
        return await plane.get_prompt(asked.name, asked.arguments)

    server: Server[Any] = Server(
        "kandev-mcp",
        version=version,
        title="Kandev",
        instructions=plane.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )
    follow(server, plane)
    return server


def follow(server: Server[Any], plane: Client) -> None:
    """Pass on what the control plane tells: what was asked for, to an older client of the lists."""

    async def listen(
        context: Context, asked: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        wanted = asked.notifications
        meta: dict[str, Any] = {SUBSCRIPTION_ID_META_KEY: context.request_id}
        async with plane.listen(
            prompts_list_changed=wanted.prompts_list_changed is True,
            resources_list_changed=wanted.resources_list_changed is True,
            resource_subscriptions=wanted.resource_subscriptions or (),
        ) as told:
            acknowledged = SubscriptionsAcknowledgedNotificationParams(
                notifications=told.honored, _meta=meta
            )
            await context.session.send_notification(
                SubscriptionsAcknowledgedNotification(params=acknowledged), context.request_id
            )
            async for event in told:
                await context.session.send_notification(
                    event_to_notification(event, meta), context.request_id
                )
        return SubscriptionsListenResult(_meta=meta)

    begun = False

    async def initialized(context: Context, _: NotificationParams) -> None:
        nonlocal begun
        if begun:
            return
        begun = True
        while True:
            try:
                async with plane.listen(
                    prompts_list_changed=True, resources_list_changed=True
                ) as told:
                    async for event in told:
                        await context.session.send_notification(event_to_notification(event, {}))
            except (MCPError, SubscriptionLost):
                await asyncio.sleep(LISTEN_AGAIN_SECONDS)

    server.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, listen)
    server.add_notification_handler("notifications/initialized", NotificationParams, initialized)
