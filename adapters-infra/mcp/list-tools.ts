import type { McpTool } from "../../core/model/mcp-servers/mcp-server.ts";

export type Json = Readonly<Record<string, unknown>>;

export const asJson = (value: unknown): Json | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;

/** The way to a server. Rejects with a sentence. */
export interface Wire {
  request(method: string, params: Json): Promise<Json>;
  notify(method: string): Promise<void>;
}

/** The version that every server in use speaks. */
export const protocolVersion = "2025-06-18";

const maxTools = 200;
const maxPages = 20;

/** Initialises the server and lists its tools. Its words are another's: texts of one line, of bounded length. */
export const listTools = async (wire: Wire): Promise<readonly McpTool[]> => {
  await wire.request("initialize", {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "boardroom", version: "1" },
  });
  await wire.notify("notifications/initialized");
  const tools: McpTool[] = [];
  let cursor: unknown;
  for (let page = 0; page < maxPages && tools.length < maxTools; page += 1) {
    const answer = await wire.request("tools/list", typeof cursor === "string" ? { cursor } : {});
    if (!Array.isArray(answer.tools)) throw new Error("It answered tools/list without tools.");
    for (const tool of answer.tools) {
      const { name, description } = asJson(tool) ?? {};
      if (typeof name !== "string" || name === "") continue;
      tools.push({
        name: oneLine(name, 128),
        description: typeof description === "string" ? oneLine(description, 300) : "",
      });
    }
    cursor = answer.nextCursor;
    if (typeof cursor !== "string") break;
  }
  return tools.slice(0, maxTools);
};

/** Returns the result of an answer. */
export const resultOf = (method: string, answer: Json): Json => {
  const error = asJson(answer.error);
  if (error !== null)
    throw new Error(
      `It refused ${method}: ${typeof error.message === "string" ? oneLine(error.message, 300) : "without a reason"}`,
    );
  return asJson(answer.result) ?? {};
};

export const oneLine = (text: string, most: number): string =>
  [
    ...text
      .slice(0, most * 2)
      .replaceAll(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, " ")
      .trim(),
  ]
    .slice(0, most)
    .join("");
