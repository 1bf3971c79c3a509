import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { version } from "../composition/version.ts";
import type { Client } from "../library/client.ts";
import type { CallOptions } from "../library/send.ts";
import { partOf } from "./answer-text.ts";
import { openSession } from "./session.ts";
import { callTool, listed } from "./tool.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { refusalText } from "./tool-refused.ts";
import { scopesMissing } from "./tool-scopes.ts";
import { toolsOf } from "./tools.ts";

/** For the model, where its program passes it on. */
const instructions: Readonly<Record<ToolCaller["kind"], string>> = {
  agent:
    "Boardroom has started you for one run. Begin with my_task, claim it with check_out, do the work, say with comment what people should know, and end with finish_task or hand_over. These tools need no other authentication.",
  board:
    "Boardroom runs companies of AI agents. You act for the person who connected you, with their rights. Look around with who_is_who, search_issues and find_operation; call_operation carries out operations without a tool of their own. Ask the person before you decide something for them.",
};

const lists = new Map<string, readonly ReturnType<typeof listed>[]>();

/** The tools of a caller, written once for each set. */
const listOf = (caller: ToolCaller) => {
  const tools = toolsOf(caller);
  const key = `${caller.kind} ${tools.map(({ name }) => name).join()}`;
  const known = lists.get(key) ?? tools.map((tool) => listed(tool, caller));
  lists.set(key, known);
  return known;
};

/** Shows nothing of a defect. */
const failed = "Something went wrong in the service. See its log. (internal_error)";

const textContent = (text: string) => ({ content: [{ type: "text" as const, text }] });

/** A server for one request: of both eras of the protocol, without a session. */
const serverFor = ({ caller, client, options, onListed, onDefect }: McpRequest): Server => {
  const server = new Server(
    { name: "boardroom", version },
    { capabilities: { tools: {} }, instructions: instructions[caller.kind] },
  );
  server.setRequestHandler("tools/list", async () => {
    await onListed();
    return { tools: [...listOf(caller)] };
  });
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const tool = toolsOf(caller).find(({ name }) => name === params.name);
    if (tool === undefined)
      return { isError: true, ...textContent(`There is no tool ${params.name}. (tool_unknown)`) };
    const session = openSession(caller, client, { ...options, signal: mcpReq.signal });
    try {
      return textContent(partOf(await callTool(tool, session, params.arguments)));
    } catch (error) {
      const text = refusalText(error);
      if (text === null && !mcpReq.signal.aborted) onDefect(error);
      return { isError: true, ...textContent(partOf({ text: text ?? failed })) };
    }
  });
  return server;
};

/** A request that the host has read, by a caller that it has identified. */
export interface McpRequest {
  readonly message: object;
  readonly caller: ToolCaller;
  readonly client: Client;
  readonly options: CallOptions;
  /** Called when the program lists the tools. */
  readonly onListed: () => Promise<void>;
  readonly onDefect: (defect: unknown) => void;
}

export interface McpHandler {
  readonly scopesMissing: typeof scopesMissing;
  answer(request: Request, asked: McpRequest): Promise<Response>;
}

/** Makes what answers requests of the Model Context Protocol, each by itself. */
export const mcpHandler = (): McpHandler => {
  const { fetch } = createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra as unknown as McpRequest));
  return {
    scopesMissing,
    answer: (request, asked) =>
      fetch(request, {
        parsedBody: asked.message,
        // Tokens stay with the host.
        authInfo: { token: "", clientId: "", scopes: [], extra: { ...asked } },
      }),
  };
};
