import type { ServerResponse } from "node:http";
import type { ModelProtocol, ModelTurn } from "./model-api.ts";
import { tokensPerAnswer } from "./openai-chat.ts";
import { nextStep } from "./scripted-model.ts";

/** The generateContent protocol of the Gemini API, as gemini uses it. */
export const geminiGenerate: ModelProtocol = {
  asks: (method, path) => method === "POST" && /:(stream)?generateContent/i.test(path),
  other: (_method, path, response) =>
    /countTokens/.test(path) ? json(response, 200, { totalTokens: 10 }) : void response.writeHead(404).end(),
  answer: (turn, response) =>
    turn.mood === "credentials_refused"
      ? json(response, 401, {
          error: { code: 401, status: "UNAUTHENTICATED", message: "API key not valid." },
        })
      : answer(turn, response),
};

interface Content {
  readonly role: string;
  readonly parts: readonly { readonly functionResponse?: object }[];
}

/** Counts results since the last text of the user. */
const toolResults = (contents: readonly Content[]): number => {
  const isText = ({ role, parts }: Content) =>
    role === "user" && !parts.some((part) => part.functionResponse !== undefined);
  return contents
    .slice(contents.findLastIndex(isText) + 1)
    .flatMap(({ parts }) => parts)
    .filter((part) => part.functionResponse !== undefined).length;
};

const shell = (command: string) => ({
  tool: "run_shell_command",
  args: { command, description: "A step of the script" },
});

interface Declared {
  readonly functionDeclarations?: readonly { readonly name: string }[];
}

const answer = ({ request, script, number }: ModelTurn, response: ServerResponse): void => {
  const { tools = [], contents } = request.body as {
    readonly tools?: readonly Declared[];
    readonly contents: readonly Content[];
  };
  const offered = tools.flatMap(({ functionDeclarations = [] }) =>
    functionDeclarations.map(({ name }) => name),
  );
  // Auxiliary requests of the program offer no tools.
  const step =
    offered.length === 0
      ? { closing: script.closing }
      : nextStep(script, toolResults(contents), { shell, offered });
  const part =
    "closing" in step
      ? { text: step.closing }
      : { functionCall: { id: `call_${number}`, name: step.tool, args: step.args } };
  const body = {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: {
      promptTokenCount: tokensPerAnswer.input,
      cachedContentTokenCount: tokensPerAnswer.cached,
      candidatesTokenCount: tokensPerAnswer.output,
      totalTokenCount: tokensPerAnswer.input + tokensPerAnswer.output,
    },
    modelVersion: "scripted",
    responseId: `r${number}`,
  };
  if (/:streamGenerateContent/.test(request.path)) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: ${JSON.stringify(body)}\n\n`);
  } else json(response, 200, body);
};

const json = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};
