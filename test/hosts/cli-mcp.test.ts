import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type AgentAtWork, type ApiService, startApi } from "../support/api-service.ts";
import { freePort } from "../support/free-port.ts";
import { type Era, messageFor } from "../support/mcp.ts";
import { program } from "../support/service-program.ts";

let api: ApiService;
let ada: AgentAtWork;
let identifier: string;
beforeAll(async () => {
  api = await startApi();
  const { id: companyId } = await api.company();
  const { id: agentId } = await api.agent(companyId);
  const issue = await api.issue(companyId, { assigneeAgentId: agentId });
  identifier = issue.identifier;
  ada = await api.atWork(agentId, issue.id);
});
afterAll(() => api?.stop());

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
type Json = any;

/** Starts `boardroom mcp` with the variables of a run. */
const opened = (env: Readonly<Record<string, string>> = {}) => {
  const child = spawn(process.execPath, [program, "mcp"], {
    env: {
      PATH: process.env.PATH,
      SERVICE_DATA_DIR: api.dataDir,
      SERVICE_API_URL: api.url,
      SERVICE_API_KEY: ada.token,
      SERVICE_RUN_ID: ada.runId,
      ...env,
    },
  });
  children.push(child);
  const received: Json[] = [];
  let rest = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    received.push(...lines.map((line) => JSON.parse(line)));
  });
  const send = (message: unknown) => void child.stdin.write(`${JSON.stringify(message)}\n`);
  return {
    send,
    received,
    ask: async (message: { readonly id: number }): Promise<Json> => {
      send(message);
      await expect.poll(() => received.some(({ id }) => id === message.id), { timeout: 30_000 }).toBe(true);
      return received.find(({ id }) => id === message.id);
    },
    line: (text: string) => void child.stdin.write(`${text}\n`),
    close: async () => {
      child.stdin.end();
      const [code] = child.exitCode === null ? await once(child, "exit") : [child.exitCode];
      return code;
    },
  };
};

describe("boardroom mcp", () => {
  it.each<Era>(["2026-07-28", "2025-06-18"])(
    "is a server of the era of %s, for the run of its variables",
    async (era) => {
      const server = opened();
      if (era === "2025-06-18") {
        const asked = { protocolVersion: era, capabilities: {}, clientInfo: { name: "test", version: "1" } };
        const { result } = await server.ask(messageFor(era, "initialize", asked));
        expect(result).toMatchObject({ protocolVersion: era, serverInfo: { name: "boardroom" } });
        server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
      } else {
        const { result } = await server.ask(messageFor(era, "server/discover"));
        expect(result.supportedVersions).toContain(era);
        server.send(messageFor(era, "subscriptions/listen", { notifications: {} }));
      }
      const { result } = await server.ask(messageFor(era, "tools/list"));
      expect(result.tools.map(({ name }: Json) => name)).toContain("my_task");
      const task = await server.ask(messageFor(era, "tools/call", { name: "my_task", arguments: {} }));
      expect(task.result.content[0].text).toContain(identifier);
      const out = await server.ask(messageFor(era, "tools/call", { name: "check_out", arguments: {} }));
      expect(out.result.content[0].text).toContain("is yours");
      expect(await server.close()).toBe(0);
    },
  );

  it("answers what was asked before its input ended", async () => {
    const server = opened();
    server.send(messageFor("2026-07-28", "tools/list"));
    expect(await server.close()).toBe(0);
    await expect.poll(() => server.received).toHaveLength(1);
    expect(server.received[0].result.tools.length).toBeGreaterThan(10);
  });

  it("passes refusals on, and says when nobody answers or a line is no message", async () => {
    const refused = opened({ SERVICE_API_KEY: "agt_wrong" });
    const { error } = await refused.ask(messageFor("2026-07-28", "tools/list"));
    expect(error).toMatchObject({ code: -32_000, message: expect.stringContaining("(unauthenticated)") });
    const address = `http://127.0.0.1:${await freePort()}`;
    const alone = opened({ SERVICE_API_URL: address });
    const { error: unreachable } = await alone.ask(messageFor("2026-07-28", "tools/list"));
    expect(unreachable.message).toBe(
      `No response from ${address}: nothing is listening there. (service_unreachable)`,
    );
    alone.line("not a message");
    await expect
      .poll(() => alone.received.at(-1), { timeout: 10_000 })
      .toMatchObject({ id: null, error: { code: -32_700 } });
  });
});
