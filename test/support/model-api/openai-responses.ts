import type { ServerResponse } from "node:http";
import type { ModelProtocol, ModelTurn } from "./model-api.ts";
import { nextStep } from "./scripted-model.ts";

/** The tokens that every answer reports. `input` includes `cached`, as the provider counts. */
export const tokensPerAnswer = { input: 100, cached: 30, output: 20, reasoning: 5 };

/** When the window of the account ends, in seconds. */
export const windowResetsAt = 1_900_000_000;

/** The streamed OpenAI Responses protocol, as the codex CLI uses it. */
export const openaiResponses: ModelProtocol = {
  asks: (method, path) => method === "POST" && /\/responses(\?|$)/.test(path),
  other: (_method, path, response) => {
    if (/\/models(\?|$)/.test(path)) return json(response, 200, { object: "list", data: [] });
    response.writeHead(404).end();
  },
  answer: (turn, response) => {
    switch (turn.mood) {
      case "quota":
        return quota(turn, response);
      case "overloaded":
        return json(response, 503, { error: { type: "server_error", message: "The server is overloaded." } });
      case "credentials_refused":
        return json(response, 401, {
          error: {
            type: "invalid_request_error",
            code: "invalid_api_key",
            message: "Incorrect API key provided.",
          },
        });
      default:
        return stream(turn, response);
    }
  },
};

interface InputItem {
  readonly type?: string;
  readonly role?: string;
}

const isResult = ({ type }: InputItem) =>
  type === "function_call_output" || type === "custom_tool_call_output";

/** Counts results since the last user message: a resumed conversation replays the script. */
const toolResults = (input: readonly InputItem[]): number => {
  const lastUser = input.findLastIndex(({ role }) => role === "user");
  return input.slice(lastUser + 1).filter(isResult).length;
};

interface NamedTool {
  readonly name: string;
  readonly namespace?: string;
}

/** The program groups the tools of a server in a namespace. */
const toolsOf = (
  tools: readonly { readonly type: string; readonly name?: string; readonly tools?: readonly NamedTool[] }[],
): readonly NamedTool[] =>
  tools.flatMap(({ type, name = "", tools = [] }) =>
    type === "namespace" ? tools.map((tool) => ({ name: tool.name, namespace: name })) : [{ name }],
  );

const outputItem = ({ request, script, mood, number }: ModelTurn): object => {
  if (mood === "refusing")
    return {
      type: "message",
      role: "assistant",
      id: `msg_${number}`,
      content: [{ type: "refusal", refusal: "I can't help with that." }],
    };
  const named = toolsOf(request.body.tools ?? []);
  const step = nextStep(script, toolResults(request.body.input), {
    // The longest wait that codex allows: by default it answers after ten seconds, while the command still runs.
    shell: (command) => ({ tool: "exec_command", args: { cmd: command, yield_time_ms: 30_000 } }),
    offered: named.map(({ name }) => name),
  });
  return "closing" in step
    ? {
        type: "message",
        role: "assistant",
        id: `msg_${number}`,
        content: [{ type: "output_text", text: step.closing, annotations: [] }],
      }
    : {
        type: "function_call",
        id: `fc_${number}`,
        call_id: `call_${number}`,
        ...(named.find(({ name }) => name === step.tool) ?? { name: step.tool }),
        arguments: JSON.stringify(step.args),
      };
};

const stream = (turn: ModelTurn, response: ServerResponse): void => {
  const id = `resp_${turn.number}`;
  const item = outputItem(turn);
  response.writeHead(200, {
    "content-type": "text/event-stream",
    // As for an account of a subscription.
    "x-codex-primary-used-percent": "42",
    "x-codex-primary-window-minutes": "300",
    "x-codex-primary-reset-at": String(windowResetsAt),
  });
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send("response.created", { response: { id } });
  send("response.output_item.added", { output_index: 0, item: { ...item, content: [], arguments: "" } });
  send("response.output_item.done", { output_index: 0, item });
  send("response.completed", {
    response: {
      id,
      status: "completed",
      usage: {
        input_tokens: tokensPerAnswer.input,
        input_tokens_details: { cached_tokens: tokensPerAnswer.cached },
        output_tokens: tokensPerAnswer.output,
        output_tokens_details: { reasoning_tokens: tokensPerAnswer.reasoning },
        total_tokens: tokensPerAnswer.input + tokensPerAnswer.output,
      },
    },
  });
  response.end();
};

/** The answer to a subscription whose limit is used up. */
const quota = ({ resetsAt }: ModelTurn, response: ServerResponse): void => {
  const until = Math.floor((resetsAt?.getTime() ?? Date.now() + 3_600_000) / 1000);
  json(response, 429, {
    error: {
      type: "usage_limit_reached",
      message: "The usage limit has been reached",
      plan_type: "plus",
      resets_at: until,
      resets_in_seconds: Math.max(1, until - Math.floor(Date.now() / 1000)),
    },
  });
};

const json = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};
