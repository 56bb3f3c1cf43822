"""A client for every endpoint that speaks the protocol of OpenAI's chat completions, through the `openai` package."""

from __future__ import annotations

import re
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

from dsl import UserError
from hive.players.llm.address import find_address, find_key
from hive.players.llm.client import ChatRequest, Reply, Say, Secret, TextSink

if TYPE_CHECKING:
    from hive.players.llm.faults import WireError

CONNECT = 10.0  # seconds until a connection must stand

# What a server may refuse, with the words by which it names it and what is done without it. The most telling first.
_OPTIONAL = {
    "max_tokens": (r"max_completion_tokens", "the model wants `max_completion_tokens`, so that is sent"),
    "temperature": (r"temperature", "the model takes no temperature, so its own is used: replies vary"),
    "top_p": (r"top_p", "the server takes no top-p, so its own is used"),
    "stream_options": (r"stream_options|include_usage", "the server counts no tokens while it streams"),
    "seed": (r"seed", "the server takes no seed"),
    "tools": (
        r"tools?|tool_choice|jinja",
        "the server takes no tools, so they are described in the text, and the model writes its calls",
    ),
    "grammar": (r"grammar|structured_outputs|sampler", "the server refused the grammar, so replies are free text"),
    "stream": (r"stream|streaming", "the server does not stream"),
}
_SERVERS = {"llamacpp": "llamacpp", "vllm": "vllm"}  # `owned_by` of the list of models, to the way of a grammar


class Endpoint:
    """Asks a model at an endpoint; safe to share between threads."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: Secret | None = None,
        grammar: str = "auto",
        timeout: float = 120.0,
        say: Say | None = None,
    ) -> None:
        """Name the model and its endpoint. Nothing is asked yet.

        Args:
            model: Name of the model, as the server knows it.
            base_url: Address of the endpoint; None: `OPENAI_BASE_URL`, else that of the hosted service.
            key: None: `OPENAI_API_KEY`; a server in the same network may need none.
            grammar: How a grammar is sent: `auto` asks the server once what it is, `off` sends none.
            timeout: Seconds without any byte of an answer after which a request is given up.
            say: Receives remarks, each once, such as that the server takes no grammar.

        Raises:
            UserError: The package is not installed, the address is none, or there is no key.
        """
        try:
            import openai

            from hive.players.llm.faults import ModelAddress
            from hive.players.llm.wire import cap
        except ImportError:
            raise UserError(
                "asking a model needs the package `openai`\n  = help: pip install 'hive-swarm[llm]'"
            ) from None
        self.name = model
        url, near = find_address(base_url)
        key = find_key(key, url, near)
        self._place = ModelAddress(model, url, timeout, key)
        # A proxy of the environment does not lead to this computer.
        http = openai.DefaultHttpxClient(trust_env=not near, event_hooks={"response": [cap]})
        weakref.finalize(self, http.close)
        self._client = openai.OpenAI(
            api_key=key.reveal() if key else "none",
            base_url=url,
            timeout=openai.Timeout(timeout, connect=min(timeout, CONNECT)),
            max_retries=0,
            http_client=http,
        )
        self._grammar = grammar
        self._without: frozenset[str] = frozenset()  # what the server refused
        self._say, self._said = say, set[str]()
        self._lock = threading.Lock()

    @property
    def about(self) -> str:
        """Who answers."""
        return f"prompts go to {self.name} at {self._place.url}"

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Ask; see `Client.complete`. What the server refuses is left out, then and later, and that is said."""
        from hive.players.llm.faults import WireError
        from hive.players.llm.wire import receive

        began = time.perf_counter()
        grammar = request.grammar
        way = self._way() if grammar else "off"
        without = self._without
        while True:
            body = _body(self.name, request, without)
            constrained = grammar is not None and way != "off" and "grammar" not in without
            if grammar and constrained:
                # vLLM's engines all read the form of llama.cpp, and only one of them that of llguidance.
                body |= (
                    {"grammar": grammar.gbnf}
                    if way == "llamacpp"
                    else {"structured_outputs": {"grammar": grammar.gbnf}}
                )
            try:
                received = receive(self._post(body), self._place, told, request.settings.may_be_empty)
                break
            except WireError as error:
                refused = _refused(error, body, constrained)
                if refused is None:
                    raise
                without |= {refused}
        for name in sorted(without - self._without):
            self._remark(_OPTIONAL[name][1])
        with self._lock:
            self._without |= without
        key = self._place.key
        text = received.text
        return Reply(
            text=key.hide(text) if key else text,
            model=self._place.quote(received.model or self.name),
            usage=received.usage,
            finish=self._place.quote(received.finish),
            seconds=time.perf_counter() - began,
            constrained=constrained,
        )

    def _post(self, body: dict[str, Any]) -> Any:
        """Send a request. The answer is read as plain JSON: typed objects of the package are built without a check."""
        import openai

        return self._place.guard(
            lambda: self._client.post(
                "/chat/completions", cast_to=object, body=body, stream=True, stream_cls=openai.Stream[object]
            )
        )

    def _way(self) -> str:
        """Return how a grammar is sent to this server; ask it once.

        Raises:
            WireError: No server answers, or it is busy.
        """
        with self._lock:
            if self._grammar == "auto":
                self._grammar = self._ask_way()
            return self._grammar

    def _ask_way(self) -> str:
        from hive.players.llm.faults import WireError

        owner: object = None
        try:
            found: Any = self._place.guard(lambda: self._client.get("/models", cast_to=object))
            models = found.get("data") if isinstance(found, dict) else None
            models = [each for each in models if isinstance(each, dict)] if isinstance(models, list) else []
            mine = [each for each in models if each.get("id") == self.name] or models
            owner = mine[0].get("owned_by") if mine else None
        except WireError as error:
            if error.transient or error.status is None:
                raise
        if isinstance(owner, str) and owner in _SERVERS:
            return _SERVERS[owner]
        self._remark(
            "no grammar is sent: this server is neither llama.cpp nor vLLM, as far as it says; replies are free text"
        )
        return "off"

    def _remark(self, text: str) -> None:
        if self._say and text not in self._said:
            self._said.add(text)
            self._say(f"{self.name}: {text}")


def _body(model: str, request: ChatRequest, without: frozenset[str]) -> dict[str, Any]:
    """Return a request; `without` names what is left out. Tools that are left out end the last message as text."""
    settings = request.settings
    sent: list[dict[str, Any]] = [{"role": message.role, "content": message.text} for message in request.messages]
    if settings.tools and "tools" in without:
        sent[-1]["content"] += "\n\n# Tools\n" + "\n".join(tool.line() for tool in settings.tools)
    if request.images:
        pictures = [{"type": "image_url", "image_url": {"url": image.url()}} for image in request.images]
        sent[-1]["content"] = [{"type": "text", "text": sent[-1]["content"]}, *pictures]
    body = {
        "model": model,
        "messages": sent,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        "max_tokens": settings.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [tool.json() for tool in settings.tools] or None,
    }
    if "max_tokens" in without:
        body["max_completion_tokens"] = settings.max_tokens
    if "stream" in without:
        without |= {"stream_options"}
    return {name: value for name, value in body.items() if name not in without and value is not None}


def _refused(error: WireError, body: dict[str, Any], constrained: bool) -> str | None:
    """Return what a server refused of a request that can be made without it."""
    if error.status not in (400, 422, 500, 501) or error.too_long:
        return None
    sent = {*body, *(("grammar",) if constrained else ())}
    for name, (words, _) in _OPTIONAL.items():
        if name in sent and re.search(rf"\b({words})\b", error.said):
            return name
    return "grammar" if constrained and error.status in (400, 422) else None
