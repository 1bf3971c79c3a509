import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A server of the Model Context Protocol on loopback, with one tool. */
export interface ToolServer {
  readonly url: string;
  /** The requests that had its credentials, by method. */
  readonly methods: string[];
  close(): void;
}

interface ToolServerOptions {
  /** The header that it demands. */
  readonly authorization?: string;
  /** Answers as a stream of events that stays open. */
  readonly streams?: boolean;
  /** In place of the answer to tools/list. */
  readonly tools?: unknown;
  readonly redirectTo?: string;
}

export const startToolServer = async (options: ToolServerOptions = {}): Promise<ToolServer> => {
  const methods: string[] = [];
  const tools = options.tools ?? [
    {
      name: "lookup",
      description: "Looks up\na ticket.",
      inputSchema: { type: "object", properties: { number: { type: "string" } } },
    },
  ];
  const server = createServer(async (request, response) => {
    if (options.redirectTo !== undefined)
      return response.writeHead(307, { location: options.redirectTo }).end();
    if (options.authorization !== undefined && request.headers.authorization !== options.authorization)
      return response.writeHead(401).end(`not ${request.headers.authorization}`);
    if (request.method !== "POST") return response.writeHead(405).end();
    let text = "";
    for await (const chunk of request) text += chunk;
    const { id, method, params } = JSON.parse(text);
    methods.push(method);
    if (id === undefined) return response.writeHead(202).end();
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "tickets", version: "1" },
      },
      ping: {},
      "tools/list": { tools },
      "tools/call": {
        content: [{ type: "text", text: `Ticket ${params?.arguments?.number} is about fog.` }],
      },
    };
    const answer =
      method in results
        ? { result: results[method] }
        : { error: { code: -32601, message: "Unknown method" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id, ...answer });
    if (options.streams !== true)
      return response.writeHead(200, { "content-type": "application/json" }).end(body);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`: a comment\r\n\r\nevent: message\r\ndata: ${body}\r\n\r\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    methods,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/**
 * The code of a server on standard input and output for `node -e`. Its tool says whether it got its variable, and how many
 * processes that it can see show the value in their arguments.
 */
export const toolProgram = `
const { readdirSync, readFileSync } = require("node:fs");
const key = process.env.SCALES_KEY ?? "";
if (key === "") { console.error("SCALES_KEY is missing"); process.exit(3); }
console.log("a word that is no message");
const shown = () => readdirSync("/proc").filter((pid) => {
  try { return /^\\d+$/.test(pid) && readFileSync("/proc/" + pid + "/cmdline", "utf8").includes(key); } catch { return false; }
}).length;
const results = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "scales", version: "1" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [{ name: "weigh", description: "Weighs.", inputSchema: { type: "object", properties: {} } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "A key of " + key.length + " characters; in arguments: " + shown() + "; uid " + process.getuid() + "; home " + process.env.HOME }] }),
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const answer = method in results ? { result: results[method]() } : { error: { code: -32601, message: "Unknown" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
});
`;
