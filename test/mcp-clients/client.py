"""Meets an MCP server with the official Python client, and prints what it saw as JSON.

Takes one JSON object: `mode` of the client, how to reach the server (`url`, or `command`, `args` and `env`) and `calls`, each
with `name`, `arguments` and what a person answers to the question it may raise (`approve`: true, false or null, which
cancels the question).
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult

wish = json.loads(sys.argv[1])
questions = []
answer = None


async def asked(context, params):
    questions.append(params.message)
    if answer is None:
        return ElicitResult(action="cancel")
    return ElicitResult(action="accept", content={"approve": answer})


async def main():
    global answer
    server = wish.get("url") or StdioServerParameters(
        command=wish["command"], args=wish["args"], env=wish["env"]
    )
    async with Client(server, mode=wish["mode"], elicitation_callback=asked) as client:
        listed = await client.list_tools()
        results = []
        for call in wish["calls"]:
            answer = call.get("approve")
            result = await client.call_tool(call["name"], call["arguments"])
            results.append(result.model_dump(mode="json", by_alias=True, exclude_none=True))
        return {
            "revision": client.protocol_version,
            "tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools],
            "results": results,
            "questions": questions,
        }


print(json.dumps(asyncio.run(main())))
