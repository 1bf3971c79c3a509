import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  BoardroomError,
  type BoardroomOptions,
  createBoardroom,
  createClient,
  type EmbeddedBoardroom,
  httpTransport,
} from "../../hosts/library/index.ts";
import { dutifulAgent, nodeAgent } from "../support/agent-programs.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { isAlive, treeOf } from "../support/processes.ts";

let database: TestDatabase;
let tempFolder: string;
let folders = 0;
const open: EmbeddedBoardroom[] = [];
const servers: Server[] = [];

beforeAll(async () => {
  database = await createDatabase();
  tempFolder = await mkdtemp(join(tmpdir(), "library-"));
});
afterEach(async () => {
  for (const boardroom of open.splice(0)) await boardroom.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(async () => {
  await database?.drop();
  await rm(tempFolder, { recursive: true, force: true });
});

const freshDir = () => join(tempFolder, `${++folders}`);

const embed = async (options: Partial<BoardroomOptions> = {}): Promise<EmbeddedBoardroom> => {
  const boardroom = await createBoardroom({
    dataDir: freshDir(),
    databaseUrl: database.url,
    ...options,
    settings: {
      SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
      SERVICE_LOG_LEVEL: "error",
      ...options.settings,
    },
  });
  open.push(boardroom);
  return boardroom;
};

/** A server of the embedding program, with a page of its own, that passes other requests on. */
const host = async () => {
  let boardroom: EmbeddedBoardroom | null = null;
  const server = createServer((request, response) => {
    if (request.url === "/own") response.end("our own page");
    else if (boardroom !== null && request.url?.startsWith("/api/")) boardroom.handler(request, response);
    else response.writeHead(404).end("not here");
  });
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    mount: (mounted: EmbeddedBoardroom) => {
      boardroom = mounted;
    },
  };
};

const companyWith = async (
  { client }: EmbeddedBoardroom,
  adapterConfig: Readonly<Record<string, unknown>> = dutifulAgent,
) => {
  const { id: companyId } = await client.companies.create({ name: "Inside" });
  const agent = await client.agents.create({ companyId, name: "Ada", adapterType: "process", adapterConfig });
  const issue = await client.issues.create({ companyId, title: "Work", assigneeAgentId: agent.id });
  return { companyId, agent, issue };
};

describe("a Boardroom inside another program", () => {
  it("keeps all its data in a data directory of its own, and leaves nothing running when it is closed", async () => {
    const before = treeOf(process.pid);
    const dataDir = freshDir();
    const first = await createBoardroom({ dataDir, settings: { SERVICE_LOG_LEVEL: "silent" } });
    const { id: companyId } = await first.client.companies.create({ name: "Kept" });
    expect(treeOf(process.pid).length).toBeGreaterThan(before.length);
    await expect(createBoardroom({ dataDir })).rejects.toThrow(/in use by process \d+/);
    const tree = treeOf(process.pid).filter((pid) => !before.includes(pid));
    await first.close();
    // The database server's watchdog ends shortly after the pipe closes.
    await eventually(
      async () => tree.filter(isAlive),
      (alive) => alive.length === 0,
    );
    await expect(first.client.companies.get({ companyId })).rejects.toThrow();

    const second = await createBoardroom({ dataDir });
    open.push(second);
    expect(await second.client.companies.get({ companyId })).toMatchObject({ name: "Kept" });
    expect(await readdir(dataDir)).toEqual(expect.arrayContaining(["board-token", "database", "master.key"]));
  });

  it("uses the given database, and starts none", async () => {
    const dataDir = freshDir();
    const [one, two] = [await embed({ dataDir }), await embed()];
    const { id: companyId } = await one.client.companies.create({ name: "Shared" });
    expect(await two.client.companies.get({ companyId })).toMatchObject({ name: "Shared" });
    expect(await readdir(dataDir)).not.toContain("database");
  });

  it("connects no assistants, because it has no page that could ask a person", async () => {
    const boardroom = await embed();
    const server = createServer(boardroom.handler).listen(0, "127.0.0.1");
    servers.push(server);
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const path of ["/.well-known/oauth-authorization-server", "/oauth/authorize", "/oauth/keys"])
      expect((await fetch(url + path, { headers: { accept: "text/html" } })).status, path).toBe(404);
    const register = await fetch(`${url}/oauth/register`, { method: "POST", body: "{}" });
    expect(register.status).toBe(404);
    const tools = await fetch(`${url}/mcp`, { method: "POST", body: "{}" });
    expect([tools.status, tools.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  it("answers calls without a socket, as the board or as the user of a token, refusals included", async () => {
    const boardroom = await embed();
    const { agent, issue, companyId } = await companyWith(boardroom);
    const { token } = await boardroom.client.agents.createKey({ agentId: agent.id });
    const self = boardroom.as(token);
    expect(await self.agents.me()).toMatchObject({ id: agent.id, name: "Ada" });
    await self.issues.comment({ issueId: issue.id, body: "Said by ä." });
    expect((await boardroom.client.issues.comments({ issueId: issue.id })).items).toMatchObject([
      { body: "Said by ä.", authorAgentId: agent.id },
    ]);
    const { items: issues } = await boardroom.client.issues.list({ companyId });
    expect(issues.map(({ id, title, assigneeAgentId }) => [id, title, assigneeAgentId])).toEqual([
      [issue.id, "Work", agent.id],
    ]);
    const refused = await self.agents.pause({ agentId: agent.id }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BoardroomError);
    expect(refused).toMatchObject({ status: 403 });
    await expect(boardroom.as("brd_nobody").companies.list()).rejects.toMatchObject({ status: 401 });
    await expect(
      boardroom.client.issues.create({ companyId, title: "Work", nonsense: 1 } as never),
    ).rejects.toMatchObject({ status: 400, code: "validation_error" });
    for await (const { data } of boardroom.client.system.events({ companyId }, { lastEventId: "0-0" })) {
      expect(data).toMatchObject({ action: "company.created" });
      break;
    }
  });

  it("starts no agent without a url, because none could reach it", async () => {
    const boardroom = await embed();
    const { issue } = await companyWith(boardroom);
    expect(await boardroom.client.system.health()).toMatchObject({ role: "api", tickAgeSec: null });
    expect((await boardroom.client.runs.ofIssue({ issueId: issue.id })).items).toMatchObject([
      { status: "queued" },
    ]);
  });

  it("answers next to the routes of the program's own server, and runs agents that reach it there", async () => {
    const { url, mount } = await host();
    const boardroom = await embed({ url });
    mount(boardroom);
    const { issue } = await companyWith(boardroom);
    await eventually(
      () => boardroom.client.issues.get({ issueId: issue.id }),
      ({ status }) => status === "done",
    );
    expect(await (await fetch(`${url}/own`)).text()).toBe("our own page");
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
    expect((await fetch(`${url}/api/companies`)).status).toBe(401);
    expect(await (await fetch(`${url}/api/nothing`)).json()).toMatchObject({ code: "not_found" });
    const { token } = await boardroom.client.agents.createKey({ agentId: issue.assigneeAgentId! });
    const remote = createClient(httpTransport({ baseUrl: url, token }));
    expect(await remote.issues.get({ issueId: issue.id })).toMatchObject({ status: "done" });
  });

  it("ends running agents when it is closed", async () => {
    const { url, mount } = await host();
    const boardroom = await embed({ url });
    mount(boardroom);
    const { issue } = await companyWith(
      boardroom,
      nodeAgent(`console.log("at work"); setTimeout(() => {}, 600_000);`),
    );
    const [run] = await eventually(
      async () => (await boardroom.client.runs.ofIssue({ issueId: issue.id })).items,
      ([first]) => first?.status === "running" && first.logBytes > 0,
    );
    const { process: program } = await boardroom.client.runs.get({ runId: run!.id });
    expect(isAlive(Number(program!.name))).toBe(true);
    await boardroom.close();
    expect(isAlive(Number(program!.name))).toBe(false);
    const next = await embed();
    expect(await next.client.runs.get({ runId: run!.id })).toMatchObject({
      status: "interrupted",
      errorCode: "service_shutdown",
    });
  });

  it("names the invalid setting", async () => {
    await expect(embed({ settings: { SERVICE_MAX_RUNS: "many" } })).rejects.toThrow(/^SERVICE_MAX_RUNS/);
  });
});
