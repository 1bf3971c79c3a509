import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { paramNames } from "../../hosts/api/endpoint/params.ts";
import { endpoints } from "../../hosts/api/index.ts";
import { mostCharacters } from "../../hosts/mcp/answer-text.ts";
import { isReadOnly } from "../../hosts/mcp/tool.ts";
import { tools } from "../../hosts/mcp/tools.ts";
import { type AgentAtWork, type ApiService, startApi } from "../support/api-service.ts";
import { root } from "../support/imports.ts";
import { ask, callTool, type Era, headersOf, listTools, type McpAs, messageFor } from "../support/mcp.ts";
import { oneOfEach } from "../support/one-of-each.ts";

let api: ApiService;
let companyId: string;
let agentId: string;
let foreign: Readonly<Record<string, string>>;

beforeAll(async () => {
  api = await startApi({ env: { SERVICE_RATE_PER_CALLER: "0", SERVICE_RATE_PER_COMPANY: "0" } });
  companyId = (await api.company("Lighthouse")).id;
  agentId = (await api.agent(companyId, { name: "Ada" })).id;
  foreign = await oneOfEach(api);
});
afterAll(() => api?.stop());

/** Ada in a run with a task of its own. */
const atTask = async (fields: object = {}): Promise<AgentAtWork & { task: string; identifier: string }> => {
  const issue = await api.issue(companyId, { title: "Light the lamp", assigneeAgentId: agentId, ...fields });
  return { ...(await api.atWork(agentId, issue.id)), task: issue.id, identifier: issue.identifier };
};

const call = (as: McpAs, name: string, args: unknown = {}) => callTool(api.url, as, name, args);

const names = async (as: McpAs) => (await listTools(api.url, as)).map(({ name }) => name);

const nameOf = (declared: unknown) => endpoints.find(({ endpoint }) => endpoint === declared)!.name;

describe("The tools", () => {
  it("are those of the documentation, with their calls and what only reads", async () => {
    const page = await readFile(join(root, "docs/tools.md"), "utf8");
    const rows = [...page.matchAll(/^\| `(\w+)`( \(reads\))? \| (.*?) ?\|$/gm)];
    expect(rows.map(([, name, reads, calls]) => [name, reads !== undefined, calls])).toEqual(
      tools.map((tool) => [
        tool.name,
        isReadOnly(tool),
        tool.name === "call_operation"
          ? "every other one that answers with JSON or text"
          : tool.calls.map(nameOf).join(", "),
      ]),
    );
  });

  it("have names and descriptions that programs pass on whole", async () => {
    for (const { name, description, inputSchema, annotations } of await listTools(
      api.url,
      (await atTask()).as,
    )) {
      expect(name).toMatch(/^[a-z_]{3,40}$/);
      expect(description.length).toBeLessThan(400);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(annotations.readOnlyHint).toBe(isReadOnly(tools.find((tool) => tool.name === name)!));
    }
  });

  it("are offered to a caller only where it may call them", async () => {
    const all = tools.map(({ name }) => name);
    expect(await names((await atTask()).as)).toEqual(all);
    const viewer = await api.user(companyId, "viewer");
    const reading = tools.filter(isReadOnly).map(({ name }) => name);
    expect(await names(viewer)).toEqual([...reading, "call_operation"]);
    expect(
      await call(viewer, "call_operation", { name: "issues.create", arguments: { companyId, title: "T" } }),
    ).toEqual({
      isError: true,
      text: "You have no operation issues.create. find_operation names them. (operation_unknown)",
    });
    expect((await call(viewer, "comment", { body: "Hello" })).text).toContain("tool_unknown");
    const operator = await api.user(companyId, "operator");
    expect(await names(operator)).toEqual(all.filter((name) => !["check_out", "report_cost"].includes(name)));
    expect((await call(viewer, "find_operation", { query: "pause a company" })).text).not.toContain(
      "companies.pause",
    );
    expect((await call(operator, "find_operation", { query: "pause a company" })).text).toContain(
      "companies.pause:",
    );
  });

  it.each<Era>(["2026-07-28", "2025-06-18"])(
    "carry an issue from its wake to its end, in the era of %s",
    async (era) => {
      const ada = await atTask({ description: "With walnut oil." });
      const bob = await api.agent(companyId);
      const as = { ...ada.as, era };
      const done = async (name: string, args: unknown = {}) => {
        const { isError, text } = await call(as, name, args);
        expect(isError, `${name}: ${text}`).toBe(false);
        return text;
      };
      expect(await done("my_task")).toContain("With walnut oil.");
      expect(await done("my_issues")).toContain(ada.identifier);
      expect(await done("check_out")).toContain("in_progress");
      await done("comment", { body: "The lamp is lit." });
      await done("write_document", { key: "plan", body: "1. Oil" });
      const [, base] = /baseRevisionId (\S+)/.exec(await done("read_document", { key: "plan" }))!;
      await done("write_document", { key: "plan", body: "2. Wick", baseRevisionId: base });
      expect(await done("read_document")).toContain("plan: (untitled), revision 2");
      const [, file] = /attachmentId (\S+)\./.exec(
        await done("attach_file", { filename: "a.txt", text: "Flame" }),
      )!;
      expect(await done("read_file", { attachmentId: file })).toBe("Flame");
      const [, picture] = /attachmentId (\S+)\./.exec(
        await done("attach_file", { filename: "a.bin", base64: Buffer.from([255, 0]).toString("base64") }),
      )!;
      expect(await call(as, "read_file", { attachmentId: picture })).toMatchObject({
        isError: true,
        text: expect.stringContaining("not_a_text"),
      });
      await api.make(`/api/companies/${companyId}/agent-hires`, { name: `Draft ${era}` });
      const colleagues = await done("who_is_who");
      expect(colleagues).toContain(`@${bob.urlKey}`);
      // A draft takes no work: an issue for it would be refused.
      expect(colleagues).not.toContain(`Draft ${era}`);
      const [, sub] = /^(\S+) /.exec(
        await done("create_subtask", { title: "Buy oil", assigneeAgentId: bob.id }),
      )!;
      expect((await api.get(`/api/issues/${sub}`)).body).toMatchObject({
        parentId: ada.task,
        assigneeAgentId: bob.id,
      });
      expect(await done("ask_board", { prompt: "Shall I?", detailsMarkdown: "Really." })).toContain(
        "pending",
      );
      const options = [{ id: "a", label: "A" }];
      const questions = [{ id: "q", prompt: "Which?", selectionMode: "single", options }];
      expect(await done("ask_board", { questions })).toContain("pending");
      expect(await done("my_task")).toMatch(/ask_user_questions \S+ is pending[\s\S]*The lamp is lit\./);
      await done("propose_hire", { name: `Keeper ${era}` });
      await done("report_cost", { provider: "p", model: "m", costCents: 3 });
      expect(await done("find_operation", { query: "goals" })).toContain("goals.create:");
      await done("call_operation", { name: "goals.create", arguments: { title: "Shine" } });
      expect(await done("call_operation", { name: "goals.list" })).toContain("Shine");
      expect(await done("search_issues", { q: "walnut" })).toContain(ada.identifier);
      await done("finish_task", { status: "in_review", comment: "Look." });
      await done("hand_over", { assigneeAgentId: bob.urlKey, comment: "Yours." });
      expect((await api.get(`/api/issues/${ada.task}`)).body).toMatchObject({
        status: "todo",
        assigneeAgentId: bob.id,
      });
      const { body: thread } = await api.get(`/api/issues/${ada.task}/comments?order=asc`);
      expect(thread.map(({ body, createdByRunId }: never) => [body, createdByRunId])).toEqual(
        ["The lamp is lit.", "Look.", "Yours."].map((body) => [body, ada.runId]),
      );
    },
  );

  it("answer with the refusal's sentence and code", async () => {
    const ada = await atTask();
    const bob = await api.agent(companyId);
    const { id: other } = await api.issue(companyId, { assigneeAgentId: bob.id });
    const atOther = await api.atWork(bob.id, other);
    await call(atOther.as, "check_out");
    expect(await call(ada.as, "check_out", { issueId: other })).toEqual({
      isError: true,
      text: expect.stringMatching(/^[A-Z][^\n]+\. \(issue_held_by_another\)\nDo not repeat the call/),
    });
    expect((await call(ada.as, "comment", {})).text).toBe("body: is required (validation_error)");
    expect((await call(ada.as, "comment", { body: "a", bodyy: "b" })).text).toBe(
      "bodyy: Unknown field. (validation_error)",
    );
    const key = { token: ada.token };
    expect((await call(key, "my_task")).text).toMatch(/^issueId: is required.*\(validation_error\)$/);
    expect((await call(key, "check_out", { issueId: ada.task })).text).toContain("(run_id_required)");
    const unnamed = await call({ token: api.token }, "my_issues");
    expect(unnamed.text).toMatch(/^companyId: is required; you have .*Lighthouse/);
    expect((await call({ token: api.token }, "my_issues", { companyId })).text).toBe("None.");
  });

  it("carry out a repeated call once, under its Idempotency-Key", async () => {
    const ada = await atTask();
    const as = { token: ada.token, headers: { ...ada.as.headers, "idempotency-key": "say-it" } };
    const first = await call(as, "comment", { body: "Once." });
    expect(await call(as, "comment", { body: "Once." })).toEqual(first);
    const operation = {
      name: "issues.comment",
      arguments: { issueId: ada.task, body: "Once more." },
      idempotencyKey: "k",
    };
    expect(await call(ada.as, "call_operation", operation)).toEqual(
      await call(ada.as, "call_operation", operation),
    );
    expect((await api.get(`/api/issues/${ada.task}/comments`)).body).toHaveLength(2);
  });
});

describe("An answer of a tool", () => {
  /** Follows an answer to its end, as a model does. */
  const whole = async (as: McpAs, name: string, args: object): Promise<string> => {
    let text = "";
    for (let offset = 0; ; ) {
      const part = await call(as, name, { ...args, offset });
      expect(part.isError).toBe(false);
      expect(part.text.length).toBeLessThanOrEqual(mostCharacters);
      const [cut, next] = /\n\n\[\d+ more characters: make the same call with "offset": (\d+)\]$/.exec(
        part.text,
      ) ?? [""];
      text += part.text.slice(0, part.text.length - cut.length);
      if (next === undefined) return text;
      offset = Number(next);
    }
  };

  it("has at most 10,000 characters, and says how to read the rest", async () => {
    const description = Array.from({ length: 6_000 }, (_, at) => `${at}🔥`).join(" ");
    const ada = await atTask({ description });
    expect(await whole(ada.as, "my_task", {})).toContain(description);
    await call(ada.as, "check_out");
    const body = "line\n".repeat(20_000);
    await call(ada.as, "write_document", { key: "long", body });
    expect(await whole(ada.as, "read_document", { key: "long" })).toContain(body);
    expect(
      await whole(ada.as, "call_operation", {
        name: "documents.get",
        arguments: { issueId: ada.task, key: "long" },
      }),
    ).toContain(JSON.stringify(body));
    expect((await call(ada.as, "my_task", { offset: 10_000_000 })).text).toContain("There is nothing");
  });

  it("shows the newest comments that fit, and leads to each older one once", async () => {
    const ada = await atTask();
    const bodies = [
      "x".repeat(30_000),
      ...Array.from({ length: 24 }, (_, at) => `Comment ${at}. ${"y".repeat(at * 40)}`),
    ];
    for (const body of bodies) await api.make(`/api/issues/${ada.task}/comments`, { body });
    const seen: string[] = [];
    for (let before: string | undefined; ; ) {
      const text = await whole(ada.as, "my_task", before === undefined ? {} : { before });
      seen.push(...[...text.matchAll(/^\[20\d\d-[^\]]+\] [^\n]+:\n(.*)$/gm)].map(([, body]) => body!));
      const next = /"before": "([^"]+)"$/.exec(text)?.[1];
      if (next === undefined) break;
      before = next;
    }
    expect(seen).toEqual(bodies.toReversed());
  });

  it("is never a credential", async () => {
    const admin = { token: api.token };
    const { id } = await api.agent(companyId);
    for (const name of [
      "agents.createKey",
      "tokens.create",
      "users.invite",
      "session.createLink",
      "routines.rotateSecret",
    ])
      expect(
        (await call(admin, "call_operation", { name, arguments: { agentId: id, name: "n" } })).text,
      ).toContain("(operation_unknown)");
    const { id: projectId } = await api.make(`/api/companies/${companyId}/projects`, { name: "P" });
    const { id: routineId } = await api.make(`/api/companies/${companyId}/routines`, {
      title: "R",
      assigneeAgentId: id,
      projectId,
    });
    const made = await call(admin, "call_operation", {
      name: "routines.addTrigger",
      arguments: { routineId, kind: "webhook" },
    });
    expect(made).toEqual({ isError: false, text: expect.stringMatching(/^\{"id":"[0-9a-f-]{36}"\}$/) });
  });
});

describe("Another company", () => {
  it("is not there for any tool", async () => {
    const ada = await atTask();
    for (const [name, args] of [
      ["my_task", {}],
      ["check_out", {}],
      ["comment", { body: "b" }],
      ["finish_task", { status: "done" }],
      ["hand_over", { assigneeAgentId: agentId }],
      ["ask_board", { prompt: "p" }],
      ["read_document", {}],
      ["read_document", { key: "plan" }],
      ["write_document", { key: "plan", body: "b" }],
      ["attach_file", { filename: "f", text: "t" }],
    ] as const)
      expect(await call(ada.as, name, { ...args, issueId: foreign.issueId }), name).toEqual({
        isError: true,
        text: expect.stringContaining("(issue_not_found)"),
      });
    for (const [name, args] of [
      ["create_subtask", { title: "T", parentId: foreign.issueId }],
      ["create_subtask", { title: "T", assigneeAgentId: foreign.agentId }],
      ["create_subtask", { title: "T", blockedByIssueIds: [foreign.issueId] }],
      ["hand_over", { assigneeAgentId: foreign.agentId }],
      ["propose_hire", { name: "N", reportsTo: foreign.agentId }],
      ["report_cost", { provider: "p", model: "m", issueId: foreign.issueId }],
      ["read_file", { attachmentId: foreign.attachmentId }],
    ] as const)
      expect((await call(ada.as, name, args)).isError, name).toBe(true);
  });

  it("is not there for any operation", async () => {
    const ada = await atTask();
    const named = endpoints.filter(({ endpoint }) => endpoint.access.subject !== null);
    expect(named.length).toBeGreaterThan(50);
    for (const { name, endpoint } of named) {
      const args = Object.fromEntries(paramNames(endpoint.path).map((param) => [param, foreign[param]]));
      const { isError, text } = await call(ada.as, "call_operation", { name, arguments: args });
      expect([name, isError, text]).toEqual([
        name,
        true,
        expect.stringMatching(/\((\w+_not_found|forbidden|operation_unknown|validation_error)\)/),
      ]);
    }
  });
});

describe("POST /mcp", () => {
  it("takes credentials alone, and only while they are valid", async () => {
    const ada = await atTask();
    expect(await ask(api.url, {}, "tools/list")).toMatchObject({
      status: 401,
      message: { code: "unauthenticated" },
    });
    const wrong = await ask(api.url, { token: "agt_wrong" }, "tools/list");
    expect([wrong.status, wrong.headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer error="invalid_token", scope="read work decide", resource_metadata="${api.url}/.well-known/oauth-protected-resource/mcp"`,
    ]);
    await api.make(`/api/heartbeat-runs/${ada.runId}/cancel`);
    expect(await ask(api.url, ada.as, "tools/list")).toMatchObject({
      status: 403,
      message: { code: "run_not_yours" },
    });
    const session = await api.post("/api/session");
    const cookie = session.headers.get("set-cookie")!.split(";")[0]!;
    expect((await ask(api.url, { headers: { cookie } }, "tools/list")).status).toBe(401);
  });

  it("refuses unknown hosts and pages of other origins", async () => {
    const from = { token: api.token, headers: { origin: "https://elsewhere.example" } };
    expect(await ask(api.url, from, "tools/list")).toMatchObject({
      status: 403,
      message: { code: "origin_not_allowed" },
    });
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${api.url}/mcp`, {
        method: "POST",
        headers: {
          ...headersOf("2026-07-28", "tools/list"),
          host: "evil.example",
          authorization: `Bearer ${api.token}`,
        },
      });
      sent.once("response", (answer) => resolve(answer.resume().statusCode)).once("error", reject);
      sent.end(JSON.stringify(messageFor("2026-07-28", "tools/list")));
    });
    expect(status).toBe(403);
  });

  it("takes one message of at most 1 MiB, and no other method", async () => {
    const as = { token: api.token };
    for (const method of ["GET", "DELETE", "PUT"]) {
      const { status, headers } = await api.request(method, "/mcp");
      expect([status, headers.get("allow")]).toEqual([405, "POST"]);
    }
    const message = messageFor("2026-07-28", "tools/list");
    const batch = await api.post("/mcp", [message, message]);
    expect([batch.status, batch.body.code]).toEqual([400, "validation_error"]);
    for (const text of ["", "null", "1", '"tools/list"', "{"])
      expect(
        (await api.request("POST", "/mcp", { text, headers: { "content-type": "application/json" } })).status,
      ).toBe(400);
    const long = await ask(api.url, as, "tools/call", {
      name: "comment",
      arguments: { body: "x".repeat(1024 * 1024) },
    });
    expect([long.status, long.message.code]).toEqual([413, "payload_too_large"]);
  });

  const eras: readonly Era[] = ["2026-07-28", "2025-06-18"];
  const both = /^(application\/json|text\/event-stream)/;
  const json = /^application\/json/;
  const events = /^text\/event-stream/;
  it.each(
    eras.flatMap((era) =>
      (
        [
          ["application/json, text/event-stream", both],
          ["text/event-stream, application/json", both],
          ["application/json;q=0.9, text/event-stream;q=0.1", both],
          ["Application/JSON, Text/Event-Stream; charset=utf-8", both],
          ["application/json, text/event-stream, */*;q=0.8", both],
          ["application/json", json],
          ["application/json; charset=utf-8", json],
          ["application/json, text/event-stream;q=0", json],
          ["application/*", json],
          ["*/*", json],
          ["text/event-stream;q=0.0, */*", json],
          ["text/html, */*; q=0.01", json],
          ["text/html", json],
          ["", json],
          [null, json],
          ["text/event-stream", events],
          ["text/event-stream, application/json;q=0", events],
        ] as const
      ).map(([accept, form]) => [era, accept, form] as const),
    ),
  )("answers a client of %s that accepts %s in a form that it reads", async (era, accept, form) => {
    const { accept: _, ...headers } = headersOf(era, "tools/list");
    const sent = request(`${api.url}/mcp`, {
      method: "POST",
      headers: {
        ...headers,
        authorization: `Bearer ${api.token}`,
        ...(accept === null ? {} : { accept }),
      },
    });
    const answered = new Promise<{ type: string; text: string; status: number | undefined }>(
      (resolve, reject) => {
        sent.on("error", reject).on("response", async (answer) => {
          let text = "";
          for await (const part of answer) text += part;
          resolve({ type: answer.headers["content-type"] ?? "", text, status: answer.statusCode });
        });
      },
    );
    sent.end(JSON.stringify(messageFor(era, "tools/list")));
    const { type, text, status } = await answered;
    expect([status, type]).toEqual([200, expect.stringMatching(form)]);
    const message = JSON.parse(events.test(type) ? (/^data: (.*)$/m.exec(text)?.[1] ?? "") : text);
    expect(message.result.tools.length).toBeGreaterThan(1);
  });

  it("offers a stream only to a client that accepts one", async () => {
    const headers = { accept: "application/json" };
    const { status, message } = await ask(api.url, { token: api.token, headers }, "subscriptions/listen");
    expect(status).toBe(400);
    expect(message.error).toContain("accept text/event-stream");
  });

  it("answers the handshake and the ping of a program of 2025", async () => {
    const as: McpAs = { token: api.token, era: "2025-06-18" };
    const asked = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    const { message } = await ask(api.url, as, "initialize", asked as never);
    expect(message.result).toMatchObject({
      protocolVersion: "2025-06-18",
      serverInfo: { name: "boardroom" },
      instructions: expect.stringContaining("act for the person"),
    });
    expect((await ask(api.url, as, "ping")).message.result).toEqual({});
  });

  it("keeps a stream for news open until its reader leaves", async () => {
    const leave = new AbortController();
    const answer = await fetch(`${api.url}/mcp`, {
      method: "POST",
      headers: { ...headersOf("2026-07-28", "subscriptions/listen"), authorization: `Bearer ${api.token}` },
      body: JSON.stringify(
        messageFor("2026-07-28", "subscriptions/listen", { notifications: { toolsListChanged: true } }),
      ),
      signal: leave.signal,
    });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("text/event-stream"),
    ]);
    const { value } = await answer.body!.getReader().read();
    expect(Buffer.from(value!).toString()).toContain("subscriptions/acknowledged");
    leave.abort();
  });
});

describe("Any message", () => {
  const anyText = fc.oneof(
    fc.constantFrom(
      "",
      "..",
      "\u0000",
      "\ud800",
      "__proto__",
      "constructor",
      "COM-1",
      "x".repeat(600),
      "a/b?c#d",
    ),
    fc.string({ unit: "binary", maxLength: 30 }),
  );
  const anything = fc.oneof(
    anyText,
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom<unknown>(null, -1, 1e308, [], {}),
  );

  it("with any arguments of a tool is answered, and never fails internally", async () => {
    const ada = await atTask();
    const fields = [...new Set(tools.flatMap(({ input }) => Object.keys(input.shape)))];
    const operations = endpoints.map(({ name }) => name);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...tools.map(({ name }) => name)),
        fc.oneof(
          fc
            .uniqueArray(fc.tuple(fc.constantFrom(...fields), anything), {
              selector: ([field]) => field,
              maxLength: 3,
            })
            .map((entries) => Object.fromEntries(entries)),
          fc.record({
            name: fc.constantFrom(...operations),
            arguments: fc.dictionary(anyText, anything, { maxKeys: 3 }),
          }),
          anything,
        ),
        async (name, args) => {
          const { status, message } = await ask(api.url, ada.as, "tools/call", { name, arguments: args });
          expect(status, JSON.stringify(message)).toBeLessThan(500);
          expect(JSON.stringify(message)).not.toContain("internal_error");
          expect(message.error?.code).not.toBe(-32603);
        },
      ),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 200), seed: 20261123, endOnFailure: true },
    );
  });

  it("of any shape is answered, and never fails internally", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record(
          { method: anyText, params: anything, id: anything, jsonrpc: anything },
          { requiredKeys: [] },
        ),
        fc.dictionary(
          fc.constantFrom("mcp-protocol-version", "mcp-method", "mcp-name", "accept"),
          fc.string({ unit: "grapheme-ascii" }),
        ),
        async (message, headers) => {
          const { status } = await fetch(`${api.url}/mcp`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${api.token}`,
              "content-type": "application/json",
              accept: "application/json, text/event-stream",
              ...headers,
            },
            body: JSON.stringify(message),
          });
          expect(status).toBeLessThan(500);
        },
      ),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 200), seed: 20261123, endOnFailure: true },
    );
  });
});

describe("Arguments of many pieces", () => {
  const deep = (levels: number) => JSON.parse(`${"[".repeat(levels)}1${"]".repeat(levels)}`) as unknown;

  it.each([
    ["nested 3,000 levels deep", 3_000, "must not be nested deeper"],
    ["nested", 2, "must be text, a number, a boolean or a list of these"],
  ])("are refused by name where one of a query is %s", async (_, levels, sentence) => {
    const { as } = await atTask();
    const answer = await call(as, "call_operation", {
      name: "issues.list",
      arguments: { status: deep(levels) },
    });
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain(sentence);
    expect(answer.text).toContain("validation_error");
  });

  /** Written as text: `JSON.stringify` overflows at such a depth. */
  const sentAsText = async ({ token, headers }: McpAs, name: string, args: string) => {
    const era = "2026-07-28";
    const message = JSON.stringify(messageFor(era, "tools/call", { name, arguments: "?" }));
    const response = await fetch(`${api.url}/mcp`, {
      method: "POST",
      headers: { ...headersOf(era, "tools/call", name), authorization: `Bearer ${token}`, ...headers },
      body: message.replace('"?"', args),
    });
    return { status: response.status, text: await response.text() };
  };

  it.each([10_000, 100_000, 400_000])(
    "are refused by name at a depth of %s, in queries and in bodies",
    async (levels) => {
      const { as } = await atTask();
      const value = `${"[".repeat(levels)}1${"]".repeat(levels)}`;
      const objects = `${'{"a":'.repeat(levels / 10)}1${"}".repeat(levels / 10)}`;
      for (const each of [value, objects])
        for (const [name, args] of [
          ["call_operation", `{"name":"issues.list","arguments":{"status":${each}}}`],
          ["call_operation", `{"name":"issues.create","arguments":{"title":${each}}}`],
          ...(await names(as)).map((tool) => [tool, `{"more":${each}}`]),
        ]) {
          const { status, text } = await sentAsText(as, name!, args!);
          expect(status, name).toBeLessThan(500);
          expect(text, name).not.toContain("internal_error");
          expect(text, name).toMatch(/validation_error|must not be nested deeper|too_big/);
        }
    },
  );

  it("are refused by each tool", async () => {
    const { as } = await atTask();
    const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`k${n}`, 0]));
    for (const name of await names(as))
      for (const value of [deep(3_000), many])
        expect(await call(as, name, { more: value })).toEqual({
          isError: true,
          text: expect.stringContaining("(validation_error)"),
        });
  });

  it("are refused where they make a query of any length", async () => {
    const { as } = await atTask();
    const answer = await call(as, "call_operation", {
      name: "issues.list",
      arguments: { q: "x".repeat(200_000) },
    });
    expect(answer.text).toContain("validation_error");
  });
});
