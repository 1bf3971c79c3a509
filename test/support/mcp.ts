/** The eras of the protocol: with a version in each request, or with a handshake before. */
export type Era = "2026-07-28" | "2025-06-18";

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any;

export interface McpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The message of the answer, or the service's own refusal; null: none. */
  readonly message: Json;
}

export interface McpAs {
  readonly token?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly era?: Era;
}

let serial = 0;

/** The message of an answer, in JSON or as the one event of a stream. */
const messageOf = (text: string): Json => {
  if (text === "") return null;
  const data = /^data: (.*)$/m.exec(text)?.[1];
  return JSON.parse(data ?? text);
};

export const headersOf = (era: Era, method: string, name?: string): Record<string, string> => ({
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": era,
  ...(era === "2026-07-28"
    ? { "mcp-method": method, ...(name === undefined ? {} : { "mcp-name": name }) }
    : {}),
});

export const messageFor = (era: Era, method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id: ++serial,
  method,
  params:
    era === "2026-07-28"
      ? {
          ...params,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": era,
            "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        }
      : params,
});

/** Sends one message of the protocol, as a program does. */
export const ask = async (
  url: string,
  { token, headers, era = "2026-07-28" }: McpAs,
  method: string,
  params: { readonly name?: string; readonly arguments?: unknown } = {},
): Promise<McpAnswer> => {
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      ...headersOf(era, method, params.name),
      ...(token == null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify(messageFor(era, method, params)),
  });
  return { status: answer.status, headers: answer.headers, message: messageOf(await answer.text()) };
};

export const listTools = async (url: string, as: McpAs): Promise<readonly Json[]> =>
  (await ask(url, as, "tools/list")).message.result.tools;

export const callTool = async (
  url: string,
  as: McpAs,
  name: string,
  args: unknown = {},
): Promise<ToolAnswer> => {
  const { status, message } = await ask(url, as, "tools/call", { name, arguments: args });
  if (message?.result === undefined) throw new Error(`${name} → ${status} ${JSON.stringify(message)}`);
  const { isError = false, content } = message.result;
  return { isError, text: content[0].text };
};
