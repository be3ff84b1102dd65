// A stand-in on this machine for a language model's service: whatever it is asked, it suggests the same.
import http from "node:http";

// One of the messages that the service streams, a suggestion as structured output.
function* events(request, answer) {
    const message = {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: request.model ?? "test",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1000, output_tokens: 200 },
    };
    const tool = Boolean(request.tools?.length);
    yield { type: "message_start", message };
    yield {
        type: "content_block_start",
        index: 0,
        content_block: tool ? { type: "tool_use", id: "toolu_1", name: "answer", input: {} } : { type: "text", text: "" },
    };
    const delta = tool ? { type: "input_json_delta", partial_json: answer } : { type: "text_delta", text: answer };
    yield { type: "content_block_delta", index: 0, delta };
    yield { type: "content_block_stop", index: 0 };
    const stopped = { stop_reason: tool ? "tool_use" : "end_turn", stop_sequence: null };
    yield { type: "message_delta", delta: stopped, usage: { output_tokens: 200 } };
    yield { type: "message_stop" };
}

// Serves until the process ends; gives the port, and counts what was asked in `asked`.
export async function model(port, suggestions) {
    const asked = [];
    const server = http.createServer(async (request, response) => {
        let body = "";
        for await (const piece of request) {
            body += piece;
        }
        if (request.url.startsWith("/v1/messages/count_tokens")) {
            response.writeHead(200, { "content-type": "application/json" }).end('{"input_tokens": 1234}');
            return;
        }
        asked.push(JSON.parse(body || "{}"));
        response.writeHead(200, { "content-type": "text/event-stream", connection: "close" });
        for (const event of events(asked.at(-1), JSON.stringify({ suggestions }))) {
            response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
        }
        response.end();
    });
    await new Promise((listening) => { server.listen(port, "127.0.0.1", listening); });
    return { asked, close: () => server.close() };
}
