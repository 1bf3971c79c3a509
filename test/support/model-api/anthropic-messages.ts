import type { ServerResponse } from "node:http";
import type { ModelProtocol, ModelTurn } from "./model-api.ts";
import { nextStep } from "./scripted-model.ts";

/** The tokens that every answer reports, so that sums can be checked. */
export const tokensPerAnswer = { input: 100, cacheCreation: 3, cacheRead: 7, output: 20 };

/** The streamed Anthropic Messages protocol, as the claude CLI uses it. */
export const anthropicMessages: ModelProtocol = {
  asks: (method, path) => method === "POST" && /^\/v1\/messages(\?|$)/.test(path),
  other: (method, path, response) => {
    if (path.includes("count_tokens")) return json(response, 200, { input_tokens: tokensPerAnswer.input });
    // The program checks with HEAD / whether the server answers.
    response.writeHead(method === "HEAD" ? 200 : 404).end();
  },
  answer: (turn, response) => {
    switch (turn.mood) {
      case "quota":
        return quota(turn, response);
      case "overloaded":
        return json(response, 529, error("overloaded_error", "Overloaded"), { "x-should-retry": "false" });
      case "credentials_refused":
        return json(response, 401, error("authentication_error", "invalid x-api-key"));
      default:
        return turn.request.body.stream ? stream(turn, response) : whole(turn, response);
    }
  },
};

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: object };

interface Reply {
  readonly block: Block;
  readonly stopReason: "end_turn" | "tool_use" | "refusal";
}

const shell = (command: string) => ({
  tool: "Bash",
  args: { command, description: "A step of the script" },
});

const reply = ({ request, script: ofRun, subAgents, mood, number }: ModelTurn): Reply => {
  const { messages } = request.body;
  const ends = JSON.stringify([messages[0], messages.at(-1)]);
  const script = subAgents.find(({ prompt }) => ends.includes(prompt)) ?? ofRun;
  if (mood === "refusing") return { block: { type: "text", text: "" }, stopReason: "refusal" };
  const offered = (request.body.tools ?? []).map((tool: { name: string }) => tool.name);
  // Auxiliary requests of the program, such as a session title, offer no tools.
  const step = offered.includes("Bash")
    ? nextStep(script, toolResults(request.body.messages), { shell, offered })
    : { closing: script.closing };
  if ("closing" in step) return { block: { type: "text", text: step.closing }, stopReason: "end_turn" };
  return {
    block: {
      type: "tool_use",
      id: `toolu_${number}`,
      name: step.tool,
      input: step.args,
    },
    stopReason: "tool_use",
  };
};

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly type: string }[];
}

/** Counts results since the last user message: a resumed conversation replays the script. */
const toolResults = (messages: readonly Message[]): number => {
  let results = 0;
  for (const { role, content } of [...messages].reverse()) {
    if (role !== "user") continue;
    const now = typeof content === "string" ? 0 : content.filter(({ type }) => type === "tool_result").length;
    if (now === 0) break;
    results += now;
  }
  return results;
};

const usage = {
  input_tokens: tokensPerAnswer.input,
  cache_creation_input_tokens: tokensPerAnswer.cacheCreation,
  cache_read_input_tokens: tokensPerAnswer.cacheRead,
  output_tokens: 1,
};

const message = ({ request, number }: ModelTurn) => ({
  id: `msg_${number}`,
  type: "message",
  role: "assistant",
  model: request.body.model,
  content: [] as Block[],
  stop_reason: null as string | null,
  stop_sequence: null,
  usage,
});

const whole = (turn: ModelTurn, response: ServerResponse): void => {
  const { block, stopReason } = reply(turn);
  json(response, 200, {
    ...message(turn),
    content: [block],
    stop_reason: stopReason,
    usage: { ...usage, output_tokens: tokensPerAnswer.output },
  });
};

const stream = (turn: ModelTurn, response: ServerResponse): void => {
  const { block, stopReason } = reply(turn);
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, data: object = {}) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send("message_start", { message: message(turn) });
  if (block.type === "text") {
    send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
    send("content_block_delta", { index: 0, delta: { type: "text_delta", text: block.text } });
  } else {
    send("content_block_start", { index: 0, content_block: { ...block, input: {} } });
    const partial_json = JSON.stringify(block.input);
    send("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json } });
  }
  send("content_block_stop", { index: 0 });
  send("message_delta", {
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { output_tokens: tokensPerAnswer.output },
  });
  send("message_stop");
  response.end();
};

/** The answer to a subscription whose limit is used up. */
const quota = ({ resetsAt }: ModelTurn, response: ServerResponse): void => {
  const reset = String(Math.floor((resetsAt?.getTime() ?? Date.now() + 3_600_000) / 1000));
  json(response, 429, error("rate_limit_error", "This request would exceed your account's rate limit."), {
    "x-should-retry": "false",
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": reset,
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
    "anthropic-ratelimit-unified-5h-status": "rejected",
    "anthropic-ratelimit-unified-5h-reset": reset,
  });
};

const error = (type: string, text: string) => ({ type: "error", error: { type, message: text } });

const json = (
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};
