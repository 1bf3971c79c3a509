import type { ServerResponse } from "node:http";
import type { ModelProtocol, ModelTurn } from "./model-api.ts";
import { nextStep } from "./scripted-model.ts";

/** The tokens that every answer reports. `input` includes `cached`, as the provider counts. */
export const tokensPerAnswer = { input: 100, cached: 30, output: 20 };

/** The streamed OpenAI chat-completions protocol, as the opencode CLI uses it. */
export const openaiChat: ModelProtocol = {
  asks: (method, path) => method === "POST" && /\/chat\/completions(\?|$)/.test(path),
  other: (_method, _path, response) => void response.writeHead(404).end(),
  answer: (turn, response) => {
    switch (turn.mood) {
      case "quota":
        return json(response, 429, {
          error: {
            type: "insufficient_quota",
            code: "insufficient_quota",
            message: "You exceeded your current quota, please check your plan and billing details.",
          },
        });
      case "overloaded":
        return json(response, 400, { error: { type: "server_error", message: "The server is overloaded." } });
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

interface Message {
  readonly role: string;
}

/** Counts results since the last user message: a resumed conversation replays the script. */
const toolResults = (messages: readonly Message[]): number =>
  messages
    .slice(messages.findLastIndex(({ role }) => role === "user") + 1)
    .filter(({ role }) => role === "tool").length;

/** opencode and copilot have one tool for commands, qwen another. */
const shellTools = ["bash", "run_shell_command"];

const shell = (tool: string) => (command: string) => ({
  tool,
  args: {
    command,
    description: "A step of the script",
    ...(tool === "run_shell_command" ? { is_background: false } : {}),
  },
});

const stream = ({ request, script, mood, number }: ModelTurn, response: ServerResponse): void => {
  const offered = (request.body.tools ?? []).map(
    (tool: { function?: { name?: string } }) => tool.function?.name ?? "",
  );
  const shellTool = shellTools.find((name) => offered.includes(name));
  // Auxiliary requests of the program, such as a session title, offer no tools.
  const step =
    shellTool !== undefined && mood === "willing"
      ? nextStep(script, toolResults(request.body.messages), { shell: shell(shellTool), offered })
      : { closing: mood === "refusing" ? "" : script.closing };
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish: string | null, more: object = {}) =>
    response.write(
      `data: ${JSON.stringify({
        id: `chatcmpl-${number}`,
        object: "chat.completion.chunk",
        created: 1_763_000_000,
        model: request.body.model,
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...more,
      })}\n\n`,
    );
  if ("closing" in step) {
    send({ role: "assistant", content: step.closing }, null);
  } else {
    send(
      {
        role: "assistant",
        tool_calls: [
          {
            index: 0,
            id: `call_${number}`,
            type: "function",
            function: {
              name: step.tool,
              arguments: JSON.stringify(step.args),
            },
          },
        ],
      },
      null,
    );
  }
  send({}, mood === "refusing" ? "content_filter" : "closing" in step ? "stop" : "tool_calls", {
    usage: {
      prompt_tokens: tokensPerAnswer.input,
      completion_tokens: tokensPerAnswer.output,
      total_tokens: tokensPerAnswer.input + tokensPerAnswer.output,
      prompt_tokens_details: { cached_tokens: tokensPerAnswer.cached },
    },
  });
  response.end("data: [DONE]\n\n");
};

const json = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};
