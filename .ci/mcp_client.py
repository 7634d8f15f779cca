"""The official client for Python: publishes, finds, edits with a conflict, and deletes. Prints what it gets.

Arguments: the address of the service, an API key, and the mode of the client (`auto` or `legacy`).
"""

import asyncio
import sys

from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


async def main(address, key, mode):
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {key}"})
    transport = streamable_http_client(f"{address}/mcp", http_client=http)
    async with http, Client(transport, mode=mode) as client:
        print("python speaks", client.protocol_version)

        async def call(tool, expected=None, **arguments):
            result = await client.call_tool(tool, arguments)
            value = result.structured_content or {}
            assert bool(result.is_error) == bool(expected), result
            assert value.get("code") == expected, value
            shown = {name: value[name] for name in ("id", "title", "total", "code") if name in value}
            print(f"  {tool}: {shown or result.content[0].text}")
            return value

        tools = await client.list_tools()
        print("  tools:", ", ".join(tool.name for tool in tools.tools))
        created = await call("publish_post", title="From Python", body="Some *words*.", tags=["agents"])
        found = await call("find_posts", tag="agents")
        assert [post["id"] for post in found["posts"]] == [created["id"]]
        post = await call("read_post", id=created["id"])
        edit = {"id": post["id"], "etag": post["etag"], "title": "Edited"}
        edited = await call("update_post", **edit)
        await call("update_post", "precondition_failed", **edit)
        edit["etag"] = edited["etag"]
        await call("update_post", **edit)
        await call("delete_post", id=post["id"])
        await call("read_post", "gone", id=post["id"])


asyncio.run(main(*sys.argv[1:]))
