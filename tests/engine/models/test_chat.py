"""Our side of the wire to a model: a scripted endpoint, good and bad."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from engine.models.chat import ChatModel
from engine.models.summaries import LONGEST, model_summary, summariser_for
from engine.settings import ModelSettings
from engine.trees.summaries import ClusterFacts, symbolic_summary
from verifier.errors import InputError

FACTS = ClusterFacts(2, 7, ("List.map", "List.filter"), "List", ("List.map_id : …",))


class Endpoint:
    """Answers with what it is told to, and keeps the requests."""

    def __init__(self) -> None:
        self.answer: Callable[[], tuple[int, Any]] = lambda: said("Lists.")
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                endpoint.requests.append(json.loads(body))
                endpoint.keys.append(self.headers["Authorization"])
                status, document = endpoint.answer()
                text = document if isinstance(document, bytes) else json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"


def said(text: str | None) -> tuple[int, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return 200, {"id": "1", "object": "chat.completion", "created": 1, "model": "m",
                 "choices": [choice]}  # fmt: skip


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    made = Endpoint()
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def model(endpoint: Endpoint, cache: Path, **changes: Any) -> ChatModel:
    settings = ModelSettings(name="m", base_url=endpoint.url, retries=0, seconds=5, **changes)
    return ChatModel(settings, cache)


def test_an_answer_is_asked_for_once(endpoint: Endpoint, tmp_path: Path) -> None:
    for _ in range(2):
        assert model(endpoint, tmp_path).ask("what?") == "Lists."
    (request,) = endpoint.requests
    assert request["model"] == "m"
    assert request["messages"] == [{"role": "user", "content": "what?"}]
    model(endpoint, tmp_path).ask("what else?")
    assert len(endpoint.requests) == 2


def test_the_key_is_sent_and_never_written(endpoint: Endpoint, tmp_path: Path) -> None:
    model(endpoint, tmp_path).ask("what?")
    assert endpoint.keys == ["Bearer secret-key"]
    assert not any("secret-key" in path.read_text() for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    "answer",
    [(500, {"error": {"message": "broken"}}), (401, {"error": {"message": "who?"}}),
     (200, {"choices": []}), said(""), said(None), (200, b"<html>")],
)  # fmt: skip
def test_no_answer_is_an_error_and_not_kept(
    endpoint: Endpoint, tmp_path: Path, answer: tuple[int, Any]
) -> None:
    endpoint.answer = lambda: answer
    with pytest.raises(InputError) as error:
        model(endpoint, tmp_path).ask("what?")
    assert "secret-key" not in f"{error.value.message}{error.value.hint}"
    assert list(tmp_path.iterdir()) == []


def test_a_failed_request_is_repeated(endpoint: Endpoint, tmp_path: Path) -> None:
    answers = iter([(500, {"error": {"message": "busy"}}), said("Lists.")])
    endpoint.answer = lambda: next(answers)
    settings = ModelSettings(name="m", base_url=endpoint.url, retries=1, seconds=5)
    assert ChatModel(settings, tmp_path).ask("what?") == "Lists."


def test_nobody_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    settings = ModelSettings(name="m", base_url="http://127.0.0.1:9/v1", retries=0, seconds=2)
    with pytest.raises(InputError, match="did not answer"):
        ChatModel(settings, tmp_path).ask("what?")


def test_no_key(endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(InputError) as error:
        model(endpoint, tmp_path).ask("what?")
    assert "OPENAI_API_KEY" in error.value.hint


def test_no_model() -> None:
    with pytest.raises(InputError, match="no model is set"):
        ChatModel(ModelSettings(), Path())
    assert summariser_for(ModelSettings(), Path()) is symbolic_summary


def test_summaries_of_higher_clusters_come_from_the_model(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.answer = lambda: said("Functions\n on lists " + "and more " * 40)
    summary = model_summary(model(endpoint, tmp_path))
    line = summary(FACTS)
    assert line.startswith("Functions on lists")
    assert len(line) == LONGEST
    question = endpoint.requests[0]["messages"][0]["content"]
    assert "List.map, List.filter" in question and "List.map_id" in question

    low = ClusterFacts(1, 7, FACTS.symbols, FACTS.namespace, FACTS.typical)
    assert summary(low) == symbolic_summary(low)
    assert len(endpoint.requests) == 1
