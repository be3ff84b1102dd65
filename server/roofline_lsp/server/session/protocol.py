"""pygls' protocol handler, changed where the server needs it otherwise.

- Texts are kept by ``documents``; pygls' own copies, which also end lines at form feeds, are not
  made.
- UTF-8 is chosen for positions wherever a client offers it, because spans count UTF-8 bytes.
- A request after ``shutdown`` is answered with an error.
- A request that cannot be read is answered with an error; pygls leaves the client waiting.
- Cancelling a command, which runs behind a future of pygls' own, is told to who runs it.
- Everything that is sent goes by the gate of ``outgoing``.
- What came of a notification is forgotten; pygls keeps it, 2 kB an edit, for as long as it lives.
- Ending with a request under way works; pygls changes the table of requests while it walks it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest
from pygls.protocol import LanguageServerProtocol, lsp_method

from roofline_lsp.server.session.outgoing import harmless


class Protocol(LanguageServerProtocol):
    """The protocol as this server speaks it."""

    on_cancelled: Callable[[str | int], None] = staticmethod(lambda _: None)
    """Told of each request that the client cancels."""

    @property
    def shut_down(self) -> bool:
        """Whether the client asked to shut down, as it must before ``exit``."""
        return self._shutdown

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[Any, Any, types.InitializeResult]:
        """Put UTF-8 first among the client's position encodings."""
        general = params.capabilities.general
        if general is not None and general.position_encodings:
            utf8_last = [
                kind != types.PositionEncodingKind.Utf8 for kind in general.position_encodings
            ]
            order = sorted(range(len(utf8_last)), key=utf8_last.__getitem__)
            general.position_encodings = [general.position_encodings[at] for at in order]
        result = yield from super().lsp_initialize(params)
        return result

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(
        self, params: types.DidOpenTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Leave the document to the server's handler."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Leave the change to the server's handler."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(
        self, params: types.DidCloseTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Leave the document to the server's handler."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    def _serialize_message(self, data: Any) -> Any:
        """A message as JSON types, harmless to clients that take text for markup."""
        return harmless(super()._serialize_message(data))

    def _execute_handler(self, msg_id: str | int, *args: Any, **named: Any) -> None:
        super()._execute_handler(msg_id, *args, **named)
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(lambda done: self._forget(msg_id, done))

    def _forget(self, msg_id: str | int, future: object) -> None:
        if self._request_futures.get(msg_id) is future:
            del self._request_futures[msg_id]

    def cancel_requests(self) -> None:
        """Give up all requests but the present one."""
        for number, future in list(self._request_futures.items()):
            if number != self.msg_id and not future.done():
                future.cancel()

    def _handle_cancel_notification(self, msg_id: str | int) -> None:
        super()._handle_cancel_notification(msg_id)
        self.on_cancelled(msg_id)

    def handle_message(self, message: Any) -> None:
        """Answer a request after ``shutdown`` with an error; pygls leaves the client waiting."""
        method = getattr(message, "method", None)
        if self._shutdown and method not in (None, types.EXIT) and hasattr(message, "id"):
            error = JsonRpcInvalidRequest(f"'{method}' after 'shutdown'")
            self._send_response(message.id, error=error.to_response_error())
            return
        super().handle_message(message)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Answer a request whose parameters are malformed before giving it up."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            raise
