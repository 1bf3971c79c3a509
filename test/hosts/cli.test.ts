import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { paramNames } from "../../hosts/api/endpoint/params.ts";
import { endpoints, type NamedEndpoint } from "../../hosts/api/index.ts";
import { cli } from "../../hosts/cli/cli.ts";
import { checkDisk, roomLeft } from "../../hosts/cli/doctor/check-disk.ts";
import { examine } from "../../hosts/cli/doctor/doctor.ts";
import { examplesOf } from "../../hosts/cli/endpoints/examples.ts";
import { fieldsOf } from "../../hosts/cli/endpoints/fields-of.ts";
import { type Field, readField, termOf } from "../../hosts/cli/endpoints/flags.ts";
import { kebab } from "../../hosts/cli/kebab.ts";
import { ago, cut, displayWidth, span } from "../../hosts/cli/print/format.ts";
import { harmless, type Terminal } from "../../hosts/cli/terminal.ts";
import { type ReceivedRequest, type StubAnswer, stubService } from "../support/stub-service.ts";

const companyId = "0193a0f0-0000-7000-8000-000000000001";
const issueId = "0193a0f0-0000-7000-8000-000000000002";
const agentId = "0193a0f0-0000-7000-8000-000000000003";
const runId = "0193a0f0-0000-7000-8000-000000000004";
const now = "2026-11-21T12:00:00.000Z";

const endpointNamed = (name: string): NamedEndpoint => {
  const found = endpoints.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};

const fieldNamed = (endpoint: string, name: string): Field => {
  const found = fieldsOf(endpointNamed(endpoint).endpoint).find((field) => field.name === name);
  if (found === undefined) throw new Error(`${endpoint} has no ${name}`);
  return found;
};

let cleanups: (() => Promise<unknown>)[] = [];
let scratch = "";
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), "boardroom-cli-"));
  cleanups = [() => rm(scratch, { recursive: true, force: true })];
});
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** Runs a command line against a stub that speaks real HTTP. */
const run = async (
  args: readonly string[],
  answer: (request: ReceivedRequest) => StubAnswer = () => ({ json: {} }),
  given: { env?: Record<string, string>; stdin?: string; width?: number; anonymous?: boolean } = {},
) => {
  const stub = await stubService(answer);
  cleanups.push(stub.close);
  let out = "";
  let err = "";
  const terminal: Terminal = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    stdin: async () => given.stdin ?? "",
    env: {
      SERVICE_DATA_DIR: join(scratch, "data"),
      ...(given.anonymous ? {} : { SERVICE_API_URL: stub.url, SERVICE_API_KEY: "brd_test" }),
      ...given.env,
    },
    width: given.width ?? null,
    colors: pc.createColors(false),
    now: () => new Date(now),
  };
  const exitCode = await cli(args, terminal);
  return { exitCode, out, err, requests: stub.requests, stub };
};

describe("commands come from the declarations", () => {
  const commands = endpoints.filter(({ endpoint }) => endpoint.raw === undefined);

  test.each(commands)("$name is a command with help", async ({ group, action, endpoint }) => {
    const { exitCode, out, requests } = await run([kebab(group), kebab(action), "--help"]);
    expect(exitCode).toBe(0);
    expect(out).toContain(`Usage: boardroom ${kebab(group)}`);
    expect(out.replace(/\s+/g, " ")).toContain(endpoint.summary);
    for (const field of fieldsOf(endpoint)) expect(out).toContain(`--${field.flag}`);
    expect(requests).toEqual([]);
  });

  test.each(commands)("$name has a valid example", async ({ group, action, endpoint, name }) => {
    const known = new Set(["all", "output", "json", ...fieldsOf(endpoint).map(({ flag }) => flag)]);
    const params = paramNames(endpoint.path);
    for (const example of examplesOf(name, params)) {
      const flags = [...example.matchAll(/(?<= |^)--([a-z-]+)/g)].map(([, flag]) => flag!);
      expect([example, flags.filter((flag) => !known.has(flag))]).toEqual([example, []]);
      const missing = fieldsOf(endpoint).filter(({ required, flag }) => required && !flags.includes(flag));
      expect([example, missing.map(({ flag }) => flag)]).toEqual([example, []]);
    }
    const { out } = await run([kebab(group), kebab(action), "--help"]);
    expect(out).toMatch(/^Examples?:$/m);
    expect(out).not.toContain("[object Object]");
  });

  test("every group has a summary", async () => {
    const { out } = await run(["--help"]);
    for (const { group } of commands)
      expect(out).toMatch(new RegExp(`^  ${kebab(group)}(\\|[a-z-]+)? +[A-Z]`, "m"));
  });

  test("help of a group shows each command's arguments, also where its name is that of a group", async () => {
    expect((await run(["routines", "--help"])).out).toMatch(/^ {2}runs <routineId> /m);
    expect((await run(["--help"])).out).toMatch(/^ {2}runs\|run {2}/m);
  });

  test("no two flags of a command are equal, and none hides a common flag", () => {
    const common = ["url", "token", "json", "company", "help", "version", "all", "idempotency-key"];
    for (const { endpoint } of endpoints) {
      const flags = [...common, ...fieldsOf(endpoint).map(({ flag }) => flag)];
      expect(new Set(flags).size).toBe(flags.length);
    }
  });

  test.each([
    ["issues.checkout", "agentId", "--agent-id <agent>", "reference"],
    ["issues.checkout", "expectedStatuses", "--expected-statuses <list>", "list"],
    ["issues.list", "status", "--status <list>", "list"],
    ["issues.list", "assigneeAgentId", "--assignee-agent-id <agent>", "reference"],
    ["issues.list", "limit", "--limit <n>", "number"],
    ["issues.list", "sort", "--sort <value>", "choice"],
    ["issues.create", "description", "--description <text>", "text"],
    ["issues.create", "title", "--title <value>", "word"],
    ["issues.create", "blockedByIssueIds", "--blocked-by-issue-ids <list>", "list"],
    ["issues.comment", "reopen", "--reopen", "switch"],
    ["goals.list", "archived", "--archived", "switch"],
    ["agents.create", "adapterConfig", "--adapter-config <json>", "json"],
    ["agents.create", "budgetMonthlyCents", "--budget-monthly-cents <n>", "number"],
    ["tokens.create", "expiresAt", "--expires-at <value>", "word"],
  ])("%s %s is %s", (endpoint, name, term, kind) => {
    const field = fieldNamed(endpoint, name);
    expect(termOf(field)).toBe(term);
    expect(field.kind.type).toBe(kind);
  });

  test("help lists the values of an enum and marks required flags", () => {
    expect(fieldNamed("issues.create", "priority").help).toContain("critical | high | medium | low");
    expect(fieldNamed("issues.checkout", "expectedStatuses")).toMatchObject({ required: true });
    expect(fieldNamed("issues.create", "projectId")).toMatchObject({ required: false, nullable: true });
  });
});

describe("the value of a flag", () => {
  const read = (endpoint: string, name: string, typed: string | boolean | string[], stdin = "") =>
    readField(fieldNamed(endpoint, name), typed, async () => stdin);

  test("lists take commas, repetition, or both", async () => {
    expect(await read("issues.list", "status", ["todo, done", "blocked"])).toEqual([
      "todo",
      "done",
      "blocked",
    ]);
    await expect(read("issues.list", "status", ["todo,dnoe"])).rejects.toThrow('"dnoe" is none of them');
  });

  test("null clears a nullable field, and is a word elsewhere", async () => {
    expect(await read("issues.update", "description", ["null"])).toBeNull();
    expect(await read("issues.update", "title", ["null"])).toBe("null");
  });

  test("numbers and JSON are parsed, or refused in a sentence", async () => {
    expect(await read("issues.list", "limit", ["5"])).toBe(5);
    await expect(read("issues.list", "limit", ["five"])).rejects.toThrow(
      '--limit takes a number, not "five".',
    );
    expect(await read("agents.create", "adapterConfig", ['{"command":"x"}'])).toEqual({ command: "x" });
    await expect(read("agents.create", "adapterConfig", ["{command}"])).rejects.toThrow("takes JSON");
  });

  test("texts come from a file, from standard input, or literally", async () => {
    const path = join(scratch, "note.md");
    await writeFile(path, "from the file");
    await writeFile(join(scratch, "config.json"), '{"command":"y"}');
    expect(await read("issues.comment", "body", [`@${path}`])).toBe("from the file");
    expect(await read("agents.create", "adapterConfig", [`@${scratch}/config.json`])).toEqual({
      command: "y",
    });
    expect(await read("issues.comment", "body", ["-"], "from stdin")).toBe("from stdin");
    expect(await read("issues.comment", "body", ["plain"])).toBe("plain");
  });

  test("a comment may begin with a mention; a missing file is never posted as text", async () => {
    expect(await read("issues.comment", "body", ["@alice please look"])).toBe("@alice please look");
    expect(await read("issues.comment", "body", ["@@alice"])).toBe("@alice");
    await expect(read("issues.comment", "body", ["@missing.md"])).rejects.toThrow("doesn't exist");
  });
});

describe("a command calls its endpoint", () => {
  test("with path, flags and names of things resolved to ids", async () => {
    const { exitCode, requests } = await run(
      [
        "issues",
        "checkout",
        "ABC-12",
        "--agent-id",
        "alice",
        "--expected-statuses",
        "todo,backlog",
        "-C",
        companyId,
      ],
      ({ url }) => ({ json: { id: url.startsWith("/api/agents/") ? agentId : issueId } }),
    );
    expect(exitCode).toBe(0);
    expect(requests.map(({ method, url }) => `${method} ${url}`).slice(0, 2)).toEqual([
      `GET /api/agents/alice?companyId=${companyId}`,
      "POST /api/issues/ABC-12/checkout",
    ]);
    expect(requests[1]?.body).toEqual({ agentId, expectedStatuses: ["todo", "backlog"] });
    expect(requests[1]?.headers.authorization).toBe("Bearer brd_test");
  });

  test("in the only company, without a named one", async () => {
    const { requests } = await run(["issues", "list", "--json"], ({ url }) =>
      url === "/api/companies"
        ? { json: [{ id: companyId, name: "Acme", issuePrefix: "ACM" }] }
        : { json: [] },
    );
    expect(requests.map(({ url }) => url)).toEqual(["/api/companies", `/api/companies/${companyId}/issues`]);
  });

  test.each([
    [["issues", "list", "ACM"]],
    [["issues", "list", "-C", "acme"]],
    [["-C", companyId, "issues", "list"]],
  ])("in the named company: %j", async (args) => {
    const { requests, exitCode } = await run(args, ({ url }) =>
      url === "/api/companies"
        ? {
            json: [
              { id: companyId, name: "Acme", issuePrefix: "ACM" },
              { id: agentId, name: "Other", issuePrefix: "OTH" },
            ],
          }
        : { json: [] },
    );
    expect(exitCode).toBe(0);
    expect(requests.at(-1)?.url).toBe(`/api/companies/${companyId}/issues`);
  });

  test("and so are the names of things in that company, without -C", async () => {
    const { requests, exitCode } = await run(
      ["issues", "create", "ACM", "--title", "Look", "--assignee-agent-id", "Boss"],
      ({ url }) =>
        url === "/api/companies"
          ? {
              json: [
                { id: companyId, name: "Acme", issuePrefix: "ACM" },
                { id: agentId, name: "Other", issuePrefix: "OTH" },
              ],
            }
          : { json: { id: agentId, companyId } },
    );
    expect(exitCode).toBe(0);
    expect(requests.map(({ url }) => url)).toContain(`/api/agents/Boss?companyId=${companyId}`);
    expect(requests.find(({ method }) => method === "POST")).toMatchObject({
      url: `/api/companies/${companyId}/issues`,
      body: { title: "Look", assigneeAgentId: agentId },
    });
  });

  test("in the company of the named issue, without a named company", async () => {
    await writeFile(join(scratch, "plan.md"), "one");
    const { requests, exitCode } = await run(
      ["attachments", "add", "ABC-12", "--file", join(scratch, "plan.md")],
      ({ url }) => ({ json: url === "/api/issues/ABC-12" ? { id: issueId, companyId } : [] }),
    );
    expect([exitCode, requests.map(({ url }) => url)]).toEqual([
      0,
      ["/api/issues/ABC-12", `/api/companies/${companyId}/issues/ABC-12/attachments`],
    ]);
  });

  test("and is refused with a list if several companies match", async () => {
    const { exitCode, err } = await run(["issues", "list"], () => ({
      json: [
        { id: companyId, name: "Acme", issuePrefix: "ACM" },
        { id: agentId, name: "Other", issuePrefix: "OTH" },
      ],
    }));
    expect(exitCode).toBe(2);
    expect(err).toContain("Name the company with -C (id, prefix or name): ACM (Acme), OTH (Other).");
  });

  test("a companyId in front of another argument may be left out", async () => {
    const { requests } = await run(["members", "set", agentId, "--role", "viewer"], () => ({ json: {} }), {
      env: { SERVICE_COMPANY_ID: companyId },
    });
    expect(requests[0]).toMatchObject({
      method: "PUT",
      url: `/api/companies/${companyId}/members/${agentId}`,
      body: { role: "viewer" },
    });
  });

  test("an agent's run and an idempotency key are sent as headers", async () => {
    const { requests } = await run(
      ["issues", "comment", "ABC-1", "--body", "-", "--idempotency-key", "once"],
      () => ({ status: 201, json: {} }),
      { env: { SERVICE_RUN_ID: runId }, stdin: "hello" },
    );
    expect(requests[0]?.body).toEqual({ body: "hello" });
    expect(requests[0]?.headers).toMatchObject({ "x-service-run-id": runId, "idempotency-key": "once" });
  });

  test("--all reads every page; without it the command reports further entries", async () => {
    const pages = ({ url }: ReceivedRequest): StubAnswer =>
      url.includes("cursor=")
        ? { json: [{ id: "b" }] }
        : { json: [{ id: "a" }], headers: { "x-next-cursor": "two" } };
    const all = await run(["runs", "of-issue", "ABC-1", "--all", "--json"], pages);
    expect(JSON.parse(all.out)).toEqual([{ id: "a" }, { id: "b" }]);
    const one = await run(["runs", "of-issue", "ABC-1", "--json"], pages);
    expect(JSON.parse(one.out)).toEqual([{ id: "a" }]);
    expect(one.err).toContain("--cursor two");
  });
});

describe("the local service", () => {
  test("is found by its data directory, and the token goes to no other address", async () => {
    const answer = () => ({ json: [] });
    const { stub } = await run(["companies", "list"], answer);
    const data = join(scratch, "local");
    await import("node:fs/promises").then(({ mkdir }) => mkdir(data));
    await writeFile(join(data, "service.json"), JSON.stringify({ url: stub.url, pid: process.pid }));
    await writeFile(join(data, "board-token"), "brd_local\n");
    const found = await run(["companies", "list"], answer, {
      anonymous: true,
      env: { SERVICE_DATA_DIR: data },
    });
    expect(found.exitCode).toBe(0);
    expect(stub.requests.at(-1)?.headers.authorization).toBe("Bearer brd_local");
    const elsewhere = await run(["companies", "list"], answer, {
      env: { SERVICE_DATA_DIR: data, SERVICE_API_KEY: "" },
    });
    expect(elsewhere.requests[0]?.headers.authorization).toBeUndefined();
  });

  test("is reported as absent, with the next step", async () => {
    const { exitCode, err } = await run(["companies", "list"], undefined, { anonymous: true });
    expect(exitCode).toBe(1);
    expect(err).toContain("`boardroom serve`");
  });
});

describe("errors", () => {
  test.each([
    [["issues", "get"], "Missing id or identifier (ABC-12) of an issue"],
    [["issues", "get", "A-1", "B-2"], 'Unexpected argument "B-2"'],
    [["issues", "checkout", "A-1"], "Missing --agent-id <agent> and --expected-statuses <list>."],
    [["issues", "create", "--titel", "x"], "Unknown option `--titel`. Did you mean --title?"],
    [["issues", "list", "--sort", "size"], "--sort takes priority, activity, newest, created"],
    [["nosuch"], "Unknown command `nosuch`."],
    [["runs", "follow"], "Missing required argument `runId`."],
  ])("%j is wrong usage: exit code 2 and nothing is called", async (args, sentence) => {
    const { exitCode, err, out, requests } = await run(args);
    expect(exitCode).toBe(2);
    expect(err).toContain(sentence);
    expect(out).toBe("");
    expect(requests).toEqual([]);
  });

  test("a refusal is one sentence with the next step, and exit code 1", async () => {
    const { exitCode, err } = await run(["issues", "get", "ABC-9"], () => ({
      status: 404,
      json: { error: "Issue not found.", code: "issue_not_found" },
    }));
    expect(exitCode).toBe(1);
    expect(err).toBe("✗ Issue not found. `boardroom issues list` shows all issues.\n");
  });

  test("refused fields are named by their flags", async () => {
    const { err } = await run(["issues", "update", "ABC-9", "--title", " ", "--billing-code", " "], () => ({
      status: 400,
      json: {
        error: "title: must not be blank",
        code: "validation_error",
        details: [
          { path: ["title"], code: "too_small", message: "must not be blank" },
          { path: ["billingCode"], code: "too_small", message: "must not be blank" },
        ],
      },
    }));
    expect(err).toBe(
      "✗ --title: must not be blank\n  --title: must not be blank\n  --billing-code: must not be blank\n",
    );
  });

  test("a held issue names the run that holds it", async () => {
    const { err } = await run(["issues", "release", "ABC-9"], () => ({
      status: 409,
      json: { error: "It is held.", code: "issue_held_by_another", details: { checkoutRunId: runId } },
    }));
    expect(err).toContain(`boardroom runs get ${runId}`);
  });

  test("under --json a failure is one object on standard error, and standard output stays empty", async () => {
    const refused = await run(["issues", "get", "ABC-9", "--json"], () => ({
      status: 404,
      json: { error: "Issue not found.", code: "issue_not_found", details: { a: 1 } },
    }));
    expect(refused.out).toBe("");
    expect(JSON.parse(refused.err)).toMatchObject({
      error: "Issue not found.",
      code: "issue_not_found",
      status: 404,
      details: { a: 1 },
    });
    const wrong = await run(["issues", "get", "--json"]);
    expect(wrong.exitCode).toBe(2);
    expect(JSON.parse(wrong.err)).toMatchObject({ code: "usage" });
  });

  test("an unreachable service is exit code 1 with the address", async () => {
    const url = await deadAddress();
    const { exitCode, err } = await run(["companies", "list", "--url", url]);
    expect(exitCode).toBe(1);
    expect(err).toContain(`No response from ${url}: nothing is listening there.`);
  });
});

/** The address of a closed server, to which no connection exists. */
const deadAddress = async (): Promise<string> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
};

const issue = {
  id: issueId,
  companyId,
  identifier: "ABC-1",
  title: "Fix the \u001b[31mlogin\u001b[0m 登录",
  description: "Line one\nLine two",
  status: "in_progress",
  priority: "high",
  assigneeAgentId: agentId,
  lastActivityAt: "2026-11-21T11:57:00.000Z",
  createdAt: "2026-11-21T11:00:00.000Z",
  started_at: now,
};

const withNames =
  (rest: unknown) =>
  (request: ReceivedRequest): StubAnswer =>
    request.url.endsWith("/agents")
      ? { json: [{ id: agentId, name: "Alice" }] }
      : /\/(members|people)$/.test(request.url)
        ? { json: [] }
        : request.url === "/api/session"
          ? { status: 403, json: {} }
          : { json: rest };

describe("printing", () => {
  test("a list of issues is a table with names, short times and no escape sequences from texts", async () => {
    const { out } = await run(["issues", "list", "-C", companyId], withNames([issue]));
    expect(out).toBe(
      [
        "ISSUE  TITLE               STATUS       PRIORITY  ASSIGNEE  ACTIVITY",
        "ABC-1  Fix the login 登录  in_progress  high      Alice     3m ago",
        "",
      ].join("\n"),
    );
  });

  test("a narrow terminal cuts titles, not identifiers", async () => {
    const long = { ...issue, title: "a".repeat(200) };
    const { out } = await run(["issues", "list", "-C", companyId], withNames([long]), { width: 80 });
    const row = out.split("\n")[1] ?? "";
    expect(row.length).toBeLessThanOrEqual(80);
    expect(row).toMatch(/^ABC-1 {2}a+… {2}in_progress/);
  });

  test("one issue shows its texts below its fields, and nothing twice", async () => {
    const { out } = await run(["issues", "get", "ABC-1"], withNames(issue));
    expect(out).toMatch(/^ABC-1 {2}Fix the login 登录\n/);
    expect(out).toMatch(/assignee +Alice {2}\(0193/);
    expect(out).toMatch(/\ndescription\n {2}Line one\n {2}Line two\n$/);
    expect(out).not.toContain("started_at");
  });

  test("--json prints the exact JSON", async () => {
    const { out } = await run(["issues", "get", "ABC-1", "--json"], () => ({ json: issue }));
    expect(JSON.parse(out)).toEqual(issue);
  });

  test("an empty list is reported next to the answer", async () => {
    const { out, err, exitCode } = await run(["issues", "list", "-C", companyId], () => ({ json: [] }));
    expect([out, err, exitCode]).toEqual(["", "No entries.\n", 0]);
  });

  const failed = {
    id: runId,
    companyId,
    agentId,
    agentName: "Alice",
    issueId,
    issueIdentifier: "ABC-1",
    adapterType: "process",
    status: "failed",
    wakeReason: "issue_assigned",
    retryOfRunId: null,
    stopRequestedAt: null,
    stopReason: null,
    createdAt: "2026-11-21T11:55:00.000Z",
    startedAt: "2026-11-21T11:55:00.000Z",
    finishedAt: "2026-11-21T11:55:12.000Z",
    errorCode: "adapter_failed",
    error: "The program ended with exit code 3",
    exitCode: 3,
    signal: null,
    summary: null,
    usage: null,
    costCents: null,
    logBytes: 10,
    lastOutput: "boom\n",
    wakes: [{}],
    runner: "local",
    reach: "host/here",
    process: { kind: "process", name: "1", uid: "x" },
    node: null,
    waitsFor: null,
    whatNext: "Finished. Nothing scheduled next.",
    callerMay: { cancel: { allowed: true }, retry: { allowed: true }, invoke: { allowed: true } },
  };

  test("a run shows no command that the service would refuse", async () => {
    const no = { allowed: false, code: "agent_paused", error: "The agent is paused." };
    const refusing = { ...failed, callerMay: { cancel: { allowed: true }, retry: no, invoke: no } };
    const { out } = await run(["runs", "show", runId], withNames(refusing));
    expect(out).toContain("Finished. Nothing scheduled next.");
    expect(out).not.toMatch(/boardroom (runs retry|agents invoke)/);
  });

  test("a failed run shows its error, its program's end, its last lines and the next step", async () => {
    const { out } = await run(["runs", "show", runId], withNames(failed));
    expect(out).toContain("The run failed after 12s: The program ended with exit code 3.");
    expect(out).toMatch(/program +exit code 3/);
    expect(out).toContain("│ boom");
    expect(out).toContain(`boardroom runs retry ${runId}`);
  });

  test("under --json a new adapter and its refusal are objects too", async () => {
    const before = process.cwd();
    process.chdir(scratch);
    try {
      const made = await run(["adapters", "new", "light-house", "--json"]);
      expect(JSON.parse(made.out)).toEqual({
        folder: join(process.cwd(), "light-house"),
        type: "light_house",
      });
      const again = await run(["adapters", "new", "light-house", "--json"]);
      expect([again.exitCode, again.out, JSON.parse(again.err)]).toEqual([
        1,
        "",
        { error: expect.stringContaining("already exists"), code: "command_failed" },
      ]);
      expect((await run(["adapters", "new", "Light House"])).exitCode).toBe(2);
    } finally {
      process.chdir(before);
    }
  });

  test("following a run prints its transcript and result, and exits with 1 if it failed", async () => {
    const log = `${JSON.stringify({ ts: now, stream: "stdout", chunk: "one\ntwo\n", seq: 1 })}\n`;
    const entries = [
      { kind: "assistant", ts: now, text: "I look first." },
      { kind: "tool_call", ts: now, name: "Bash", input: { command: "ls -la", description: "list" } },
      { kind: "tool_result", ts: now, content: "a\nb\nc\nd\ne\nf" },
    ];
    const answer = ({ url }: ReceivedRequest): StubAnswer => {
      const isFirst = url.includes("offset=0");
      if (url.includes("/log"))
        return { json: { runId, content: isFirst ? log : "", nextOffset: log.length } };
      if (url.includes("/transcript"))
        return {
          json: { runId, entries: isFirst ? entries : [], complete: !isFirst, nextOffset: log.length },
        };
      return { json: failed };
    };
    const result = await run(["runs", "follow", runId], answer);
    expect(result.out).toBe(
      "● I look first.\n→ Bash ls -la\n  │ a\n  │ b\n  │ c\n  │ d\n  │ … 2 more lines\nThe run failed after 12s: The program ended with exit code 3.\n",
    );
    expect(result.exitCode).toBe(1);
    const raw = await run(["runs", "follow", runId, "--json"], answer);
    expect(raw.out).toBe(log);
  });

  test("a run's log is printed as its programs wrote it", async () => {
    const content = [
      { ts: now, stream: "stdout", chunk: "one\ntw", seq: 1 },
      { ts: now, stream: "stdout", chunk: "o\u001b[2J\nthree", seq: 2 },
    ]
      .map((record) => `${JSON.stringify(record)}\n`)
      .join("");
    const log = (text: string) => ({ json: { runId, content: text, nextOffset: 120 } });
    const { out } = await run(["runs", "log", runId], () => log(content));
    expect(out).toBe("one\ntwo\nthree\nWhat follows: --offset 120\n");
    expect((await run(["runs", "log", runId], () => log(""))).out).toBe("");
  });
});

describe("texts for terminals", () => {
  test.each([
    ["\u001b[2Jgone", "gone"],
    ["\u001b]0;title\u0007text", "text"],
    ["a\u0008b\u0000c", "a\\u{8}b\\u{0}c"],
    ["tab\tand\nline", "tab\tand\nline"],
    ["right\u202eleft", "right\\u{202e}left"],
    [`ls${" ".repeat(3_000)}; rm`, "ls [… 3000 spaces …] ; rm"],
    ["one\r\ntwo\rthree", "one\ntwo\nthree"],
  ])("%j is shown as %j", (given, shown) => {
    expect(harmless(given)).toBe(shown);
  });

  test.each([
    [40, "40ms"],
    [400, "0.4s"],
    [12_000, "12s"],
    [200_000, "3m 20s"],
    [7_200_000, "2h"],
    [300_000_000, "3d"],
  ])("%i ms is %s", (ms, text) => {
    expect(span(ms)).toBe(text);
  });

  test("times are relative, and dates if long ago", () => {
    const at = new Date(now);
    expect(ago(null, at)).toBe("–");
    expect(ago(now, at)).toBe("now");
    expect(ago("2026-11-21T11:59:30.000Z", at)).toBe("30s ago");
    expect(ago("2026-01-01T00:00:00.000Z", at)).toBe("2026-01-01");
  });

  test("wide characters take two columns, and none is cut in half", () => {
    expect(displayWidth("登录")).toBe(4);
    expect(displayWidth("e\u0301")).toBe(1);
    expect(displayWidth("👩‍💻")).toBe(2);
    expect(cut("登录登录", 5)).toBe("登录…");
  });
});

describe("the doctor", () => {
  test("reports no failure for a directory before the first start", async () => {
    const checks = await examine({}, { SERVICE_DATA_DIR: join(scratch, "fresh"), PATH: "" });
    expect(checks.filter(({ level }) => level === "fail")).toEqual([]);
    expect(checks.find(({ check }) => check === "service")?.hint).toContain("boardroom serve");
    expect(checks).toContainEqual(
      await checkDisk(scratch).then((found) => ({ ...found, message: expect.any(String) })),
    );
  });

  test.each([
    [0, "fail", "0 MiB free for /data"],
    [99.9, "fail", "99 MiB free for /data"],
    [100, "warn", "100 MiB free for /data"],
    [1024, "ok", "1024 MiB free for /data"],
    [20_480, "ok", "20 GiB free for /data"],
  ])("with %d MiB of free disk says %s", (mebibytes, level, message) => {
    expect(roomLeft("/data", mebibytes * 1024 * 1024)).toMatchObject({ level, message });
  });

  test("names an unreachable database without its password", async () => {
    const checks = await examine(
      {},
      { SERVICE_DATA_DIR: scratch, PATH: "", DATABASE_URL: "postgres://user:secret@127.0.0.1:1/x" },
    );
    const found = checks.find(({ check }) => check === "database");
    expect(found?.level).toBe("fail");
    expect(JSON.stringify(checks)).not.toContain("secret");
  });

  test("fails if others can read keys, and if the recorded service is gone", async () => {
    await writeFile(join(scratch, "master.key"), "x", { mode: 0o644 });
    await writeFile(join(scratch, "service.json"), JSON.stringify({ url: "http://127.0.0.1:9", pid: 1 }));
    const { exitCode, out } = await run(["doctor", "--json"], undefined, {
      anonymous: true,
      env: { SERVICE_DATA_DIR: scratch, PATH: "" },
    });
    expect(exitCode).toBe(1);
    const failing = (JSON.parse(out) as { level: string; check: string }[])
      .filter(({ level }) => level === "fail")
      .map(({ check }) => check);
    expect(failing).toEqual(["master key", "service"]);
  });
});
