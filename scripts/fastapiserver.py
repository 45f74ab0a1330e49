"""The server of FastAPITests: 1,000 rows in FastAPI's own framings, which are cut and held up on their way out as the query says."""

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterable
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Depends, FastAPI, Header, HTTPException, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel

LAST = 1000
api = FastAPI()
gates = defaultdict(asyncio.Event)


class Row(BaseModel):
    id: int
    text: str


def rows(after: int = 0):
    return (Row(id=number, text=f"Zoë 雪 {number}") for number in range(after + 1, LAST + 1))


def last_event(last_event_id: Annotated[int, Header()] = 0) -> int:
    """The id of the last event that the client has; one that has all of them is told so."""
    if last_event_id >= LAST:
        raise HTTPException(204)
    return last_event_id


@api.get("/events", response_class=EventSourceResponse)
async def events(last: Annotated[int, Depends(last_event)]) -> AsyncIterable[ServerSentEvent]:
    for row in rows(after=last):
        yield ServerSentEvent(data=row, id=str(row.id), retry=10 if row.id == last + 1 else None)


@api.get("/lines")
async def lines() -> AsyncIterable[Row]:
    for row in rows():
        yield row


@api.post("/gates/{key}")
async def open_gate(key: str):
    gates[key].set()
    return Response()


class Faults:
    """What a network does to a body. The query may name rows, as in `?cut=300,700&hold=400&gate=a`, each but the first of a response:

    cut: the connection breaks off inside of the row
    hold: the rest of the row is sent when the gate is opened

    Each row is sent in two pieces, cut inside of its first character that is not ASCII.
    """

    def __init__(self, application):
        self.application = application

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.application(scope, receive, send)
        query = {name: values[0].split(",") for name, values in parse_qs(scope["query_string"].decode()).items()}
        seen = 0

        async def send_badly(message):
            nonlocal seen
            row = re.search(rb'"id":(\d+)', message.get("body", b""))
            if not row:
                return await send(message)
            seen += 1
            faults = [name for name in ("cut", "hold") if seen > 1 and row[1].decode() in query.get(name, [])]
            body = message["body"]
            middle = next(index for index, byte in enumerate(body) if byte >= 0x80) + 1
            await send({"type": message["type"], "body": body[:middle], "more_body": True})
            if "cut" in faults:
                raise ConnectionError("cut by the query")
            if "hold" in faults:
                await gates[query["gate"][0]].wait()
            await send(message | {"body": body[middle:]})

        await self.application(scope, receive, send_badly)


app = Faults(api)
