import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpoints, type NamedEndpoint } from "../../hosts/api/index.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";
import { oneOfEach } from "../support/one-of-each.ts";
import type { RawAnswer } from "../support/service.ts";

let api: ApiService;
/** A value for each path parameter. */
let things: Readonly<Record<string, string>>;

beforeAll(async () => {
  api = await startApi({ env: { SERVICE_LOG_LEVEL: "silent" } });
  things = await oneOfEach(api);
});
afterAll(() => api?.stop());

/** The bodies of public endpoints come from other systems. */
const strict = endpoints.filter(({ endpoint }) => endpoint.raw === undefined);

/** Takes a file, not JSON. */
const isUpload = ({ body }: NamedEndpoint["endpoint"]): boolean => Object.hasOwn(body?.shape ?? {}, "file");

const filled = (path: string): string => path.replace(/\{(\w+)\}/g, (_, name: string) => things[name]!);

/** The caller is the agent of `{agentId}`; agent-only endpoints refuse others. */
const callerOf = async ({ endpoint }: NamedEndpoint): Promise<string> =>
  endpoint.access.board === null ? (await api.make(filled("/api/agents/{agentId}/keys"))).token : api.token;

const sendBytes = async (
  path: string,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Record<string, string> = {},
) => {
  const answer = await fetch(api.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${api.token}`, "content-type": "application/json", ...headers },
    body,
    ...(body instanceof ReadableStream ? { duplex: "half" as const } : {}),
  });
  // biome-ignore lint/suspicious/noExplicitAny: refusals and companies both.
  return { status: answer.status, body: (await answer.json()) as any };
};

const expectRefusal = (answer: Pick<RawAnswer, "status" | "body">, status: number, code: string) =>
  expect([answer.status, answer.body.code, answer.body]).toEqual([status, code, answer.body]);

/** Expects 400 with the path of the field. */
const expectInvalid = (answer: RawAnswer, ...path: (string | number)[]) => {
  expectRefusal(answer, 400, "validation_error");
  expect(answer.body.details.map((problem: { path: unknown }) => problem.path)).toContainEqual(path);
  for (const problem of answer.body.details)
    expect(problem).toEqual({
      path: expect.any(Array),
      code: expect.any(String),
      message: expect.any(String),
    });
};

const newCompany = (body: unknown) => api.post("/api/companies", body);
const newAgent = (fields: object) =>
  api.post(filled("/api/companies/{companyId}/agents"), {
    name: `A ${randomUUID()}`,
    adapterType: "process",
    ...fields,
  });

describe("A body", () => {
  it("without a required field is refused by its name", async () => {
    const answer = await newAgent({ adapterType: undefined });
    expectInvalid(answer, "adapterType");
    expect(answer.body.error).toBe("adapterType: is required");
    const interaction = await api.post(filled("/api/issues/{issueId}/interactions"), {
      kind: "request_confirmation",
      payload: {},
    });
    expect(interaction.body.error).toBe("payload.prompt: is required");
    const routine = await api.post(filled("/api/companies/{companyId}/routines"), {
      title: "R",
      assigneeAgentId: randomUUID(),
    });
    expect(routine.body.error).toBe("projectId: is required");
  });

  it("with an invalid binding of a variable is refused with a list of the valid ones", async () => {
    const binding = { type: "secret_ref", secretId: randomUUID(), version: "2" };
    const answer = await newAgent({ adapterConfig: { env: { KEY: binding } } });
    expectInvalid(answer, "adapterConfig", "env", "KEY");
    expect(answer.body.error).toMatch(/^adapterConfig\.env\.KEY: must be text, .*version.* or null$/);
  });

  it.each(strict.filter(({ endpoint }) => endpoint.method !== "GET" && !isUpload(endpoint)))(
    "with a field nobody knows is refused, naming the field: $name",
    async (named) => {
      const path = filled(named.endpoint.path);
      expectInvalid(
        await api.request(named.endpoint.method, path, { body: { frobnicate: 1 } }),
        "frobnicate",
      );
    },
  );

  it("accepts no field of the language's objects either", async () => {
    for (const field of ["__proto__", "constructor", "toString"]) {
      const text = `{"name":"x","${field}":{"admin":true}}`;
      expectInvalid(await api.request("POST", "/api/companies", { text }), field);
    }
  });

  it.each([
    [["__proto__"], '{"__proto__":{"admin":true}}'],
    [["metadata", "__proto__"], '{"metadata":{"__proto__":1}}'],
    [["metadata", "a", "0", "__proto__"], '{"metadata":{"a":[{"__proto__":null}]}}'],
    [["adapterConfig", "__proto__"], '{"adapterConfig":{"__proto__":{}}}'],
    [["adapterConfig", "env", "__proto__"], '{"adapterConfig":{"env":{"__proto__":"x"}}}'],
  ])("never drops a field silently: %j", async (path, text) =>
    expectInvalid(await api.request("PATCH", filled("/api/agents/{agentId}"), { text }), ...path),
  );

  it("is refused for an unknown field inside of a field too", async () => {
    const runtimeConfig = { heartbeat: { enabled: true, every: 5 } };
    expectInvalid(await newAgent({ runtimeConfig }), "runtimeConfig", "heartbeat", "every");
  });

  it.each(["[]", '"text"', "1", "true", "null"])("must be an object, not %s", async (text) => {
    expectRefusal(await api.request("POST", "/api/companies", { text }), 400, "validation_error");
    expectRefusal(
      await api.request("POST", filled("/api/agents/{agentId}/keys"), { text }),
      400,
      "validation_error",
    );
    expectRefusal(
      await api.request("POST", filled("/api/goals/{goalId}/archive"), { text }),
      400,
      "validation_error",
    );
  });

  it.each(["{", '{"name":"x"', "{'name':'x'}", '{"name":}', "name=x", '{"name":"a\nb"}', '{"a":1}{"b":2}'])(
    "that is not JSON is malformed_json: %s",
    async (text) =>
      expectRefusal(await api.request("POST", "/api/companies", { text }), 400, "malformed_json"),
  );

  it("that is not UTF-8 is malformed_json", async () => {
    const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    expectRefusal(await sendBytes("/api/companies", bytes), 400, "malformed_json");
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/jsonp",
    "application/json; charset=bogus",
    "application/json; charset=utf-16",
    "",
  ])("of content type %j is 415", async (type) => {
    const answer = await sendBytes("/api/companies", '{"name":"x"}', { "content-type": type });
    expectRefusal(answer, 415, "unsupported_media_type");
  });

  it("may state its charset", async () => {
    const type = { "content-type": "Application/JSON ; charset=utf-8" };
    expect((await sendBytes("/api/companies", '{"name":"Charset"}', type)).status).toBe(201);
  });

  it("may be left out if nothing in it is required, whatever the content type", async () => {
    const headers = { "content-type": "text/plain" };
    expect((await api.request("POST", filled("/api/agents/{agentId}/keys"), { headers })).status).toBe(201);
    expect((await api.request("POST", filled("/api/agents/{agentId}/keys"), { text: "{}" })).status).toBe(
      201,
    );
    expectInvalid(await api.request("POST", "/api/companies"), "name");
  });

  it("is at most 1 MiB, declared or not", async () => {
    const padded = (bytes: number) => '{"name":"Big"}'.padEnd(bytes, " ");
    const chunked = (bytes: number) => new Blob([padded(bytes)]).stream();
    const limit = 1024 * 1024;
    expect((await sendBytes("/api/companies", padded(limit))).status).toBe(201);
    expect((await sendBytes("/api/companies", chunked(limit))).status).toBe(201);
    for (const body of [padded(limit + 1), chunked(limit + 1)]) {
      const answer = await sendBytes("/api/companies", body);
      expectRefusal(answer, 413, "payload_too_large");
      expect(answer.body.details).toEqual({ maxBytes: limit });
    }
  });
});

describe("A query", () => {
  it.each(strict)("with an unknown parameter is refused, naming it: $name", async (named) => {
    const path = `${filled(named.endpoint.path)}?frobnicate=1`;
    const answer = await api.request(named.endpoint.method, path, { token: await callerOf(named) });
    expectInvalid(answer, "frobnicate");
  });

  it.each(["status=active", "limit=5", "q=", "companyId=1", "x"])(
    "is not accepted by the list of agents: ?%s",
    async (query) =>
      expectInvalid(
        await api.get(filled(`/api/companies/{companyId}/agents?${query}`)),
        query.split("=")[0]!,
      ),
  );

  it("has each parameter once", async () => {
    const path = filled("/api/companies/{companyId}/issues");
    expectInvalid(await api.get(`${path}?status=todo&status=done`), "status");
    expectInvalid(await api.get(`${path}?limit=1&limi%74=1`), "limit");
  });

  it.each(["constructor=1", "__proto__=1", "toString=", "hasOwnProperty=x"])(
    "accepts no property of the language's objects: ?%s",
    async (query) =>
      expectInvalid(
        await api.get(filled(`/api/companies/{companyId}/issues?${query}`)),
        query.split("=")[0]!,
      ),
  );

  it.each([
    ["limit", "0"],
    ["limit", "1001"],
    ["limit", "-1"],
    ["limit", "1.5"],
    ["limit", "many"],
    ["limit", ""],
    ["limit", "Infinity"],
    ["status", "open"],
    ["status", ""],
    ["status", "todo,open"],
    ["sort", "title"],
    ["assigneeAgentId", "none"],
    ["parentId", "ABC"],
    ["cursor", "x".repeat(1025)],
  ])("is refused if a value is invalid: ?%s=%s", async (name, value) => {
    const answer = await api.get(filled(`/api/companies/{companyId}/issues?${name}=${value}`));
    expectRefusal(answer, 400, "validation_error");
    expect(answer.body.details[0].path[0]).toBe(name);
  });

  it.each([
    "heartbeat-runs/{runId}/events?afterSeq=9007199254740991",
    "heartbeat-runs/{runId}/log?offset=9007199254740991",
    "companies/{companyId}/activity?entityType=%00",
    "companies/{companyId}/activity?entityType=%F0%9F%98%80",
  ])("of extreme values is answered: %s", async (path) => {
    expect((await api.get(filled(`/api/${path}`))).status).toBeLessThan(500);
  });

  it.each(["issues", "heartbeat-runs", "activity"])("with a forged cursor is refused: %s", async (list) => {
    for (const cursor of ["x", "AAAA", Buffer.from('["runs","x"]').toString("base64url"), "%00"]) {
      const answer = await api.get(filled(`/api/companies/{companyId}/${list}?cursor=${cursor}`));
      expect([cursor, answer.status]).toEqual([cursor, 400]);
    }
  });
});

describe("An address", () => {
  it.each([
    "/api/issues/%zz",
    "/api/%",
    "/api/issues/%c3%28",
    "/api/companies?status=%zz",
    "/api/companies?%zz=1",
    "/api/companies?status=%ff",
  ])("with a percent-encoding that does not decode is 400: %s", async (path) =>
    expectRefusal(await api.get(path), 400, "validation_error"),
  );

  it("is decoded before it is interpreted", async () => {
    expect((await api.get("/api/%63ompanies?statu%73=%61ctive")).status).toBe(200);
    expectRefusal(await api.get(filled("/api%2fcompanies")), 404, "not_found");
  });

  it.each([
    "/api",
    "/api/",
    "/api/companies/",
    "//api/companies",
    "/api//companies",
    "/api/nothing",
    "/API/companies",
  ])("without a route is 404: %s", async (path) => expectRefusal(await api.get(path), 404, "not_found"));

  it("with NUL names no agent, for any caller", async () => {
    const token = (await api.make(filled("/api/agents/{agentId}/keys"))).token;
    expectRefusal(await api.get("/api/agents/%00", { token }), 404, "agent_not_found");
    expectRefusal(await api.get(filled("/api/agents/a%00b?companyId={companyId}")), 404, "agent_not_found");
  });

  const methods = ["GET", "POST", "PATCH", "PUT", "DELETE"] as const;
  const paths = [...new Set(endpoints.map(({ endpoint }) => endpoint.path))];
  const methodsOf = (path: string) =>
    endpoints.flatMap(({ endpoint }) => (endpoint.path === path ? [endpoint.method] : []));
  it.each(paths.map((path) => ({ path, allowed: methodsOf(path) })))(
    "takes its own methods and says which: $path",
    async ({ path, allowed }) => {
      for (const method of [...methods, "OPTIONS"].filter((method) => !allowed.includes(method as never))) {
        const answer = await api.request(method, filled(path));
        expectRefusal(answer, 405, "method_not_allowed");
        const allow = answer.headers.get("allow")?.split(", ").sort();
        expect(allow).toEqual([...allowed, ...(allowed.includes("GET") ? ["HEAD"] : [])].sort());
      }
    },
  );

  it("answers HEAD like GET, without the body", async () => {
    // Without compression: a compressed answer has no known length.
    const headers = { authorization: `Bearer ${api.token}`, "accept-encoding": "identity" };
    const [head, get] = [
      await fetch(`${api.url}/api/companies`, { method: "HEAD", headers }),
      await fetch(`${api.url}/api/companies`, { headers }),
    ];
    expect(await head.text()).toBe("");
    expect(head.status).toBe(200);
    expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(await get.text())));
    expect((await fetch(`${api.url}/api/companies`, { method: "HEAD" })).status).toBe(401);
    expect(
      (await fetch(`${api.url}${filled("/api/goals/{goalId}/archive")}`, { method: "HEAD" })).status,
    ).toBe(405);
  });
});

const badText = [
  ["NUL", "a\u0000b"],
  ["a lone high surrogate", "a\ud800b"],
  ["a lone low surrogate", "\udc00"],
] as const;

describe("Text", () => {
  describe.each(badText)("with %s is refused", (_, text) => {
    it.each([
      ["POST", "/api/companies", { name: text }, ["name"]],
      ["POST", "/api/companies", { name: "n", description: text }, ["description"]],
      ["POST", "/api/companies/{companyId}/issues", { title: text }, ["title"]],
      ["POST", "/api/companies/{companyId}/issues", { title: "t", description: text }, ["description"]],
      ["POST", "/api/companies/{companyId}/issues", { title: "t", billingCode: text }, ["billingCode"]],
      ["PATCH", "/api/issues/{issueId}", { comment: text }, ["comment"]],
      ["PATCH", "/api/issues/{issueId}", { assigneeAgentId: text }, ["assigneeAgentId"]],
      ["POST", "/api/issues/{issueId}/comments", { body: text }, ["body"]],
      ["PATCH", "/api/agents/{agentId}", { capabilities: text }, ["capabilities"]],
      ["PATCH", "/api/agents/{agentId}", { metadata: { a: [{ b: text }] } }, ["metadata"]],
      ["PATCH", "/api/agents/{agentId}", { metadata: { [text]: 1 } }, ["metadata"]],
      ["PATCH", "/api/agents/{agentId}", { adapterConfig: { command: text } }, ["adapterConfig"]],
      ["PATCH", "/api/agents/{agentId}", { adapterConfig: { [text]: [] } }, ["adapterConfig"]],
      ["PATCH", "/api/agents/{agentId}", { adapterConfig: { env: { A: text } } }, ["adapterConfig"]],
      ["PATCH", "/api/agents/{agentId}", { adapterType: text }, ["adapterType"]],
      ["POST", "/api/agents/{agentId}/keys", { name: text }, ["name"]],
      ["POST", "/api/agents/{agentId}/heartbeat/invoke", { message: text }, ["message"]],
      ["POST", "/api/companies/{companyId}/projects", { name: text }, ["name"]],
      ["PATCH", "/api/projects/{projectId}", { description: text }, ["description"]],
      ["POST", "/api/companies/{companyId}/goals", { title: text }, ["title"]],
      ["POST", "/api/board-users", { name: text }, ["name"]],
      ["POST", "/api/board-tokens", { name: text }, ["name"]],
    ] as const)("%s %s %j", async (method, path, body, where) => {
      expectInvalid(await api.request(method, filled(path), { body }), ...where);
    });
  });

  it("that only resembles an escape is kept unchanged", async () => {
    const metadata = { "\\u0000": "\\ud800 \\u0000", emoji: "👩‍👩‍👧", constructor: 1, toString: [null] };
    const { body } = await api.patch(filled("/api/agents/{agentId}"), { metadata });
    expect(body.metadata).toEqual(metadata);
    const adapterConfig = { command: "\\u0000", env: { A: "\\u0000" } };
    expect((await api.patch(filled("/api/agents/{agentId}"), { adapterConfig })).status).toBe(200);
    const description = "tab\tquote\" back\\slash \u2028 \u{1F600} \ufeff 漢字 ' -- ; drop table issues";
    const issue = await api.make(filled("/api/companies/{companyId}/issues"), { title: "t", description });
    expect((await api.get(`/api/issues/${issue.id}`)).body.description).toBe(description);
  });

  it("in free-form objects may be nested to a limited depth", async () => {
    const nested = (depth: number) => `{"metadata":${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}}`;
    const path = filled("/api/agents/{agentId}");
    expect((await api.request("PATCH", path, { text: nested(40) })).status).toBe(200);
    for (const depth of [60, 1_000, 100_000])
      expectInvalid(await api.request("PATCH", path, { text: nested(depth) }), "metadata");
  });

  it("may be any word as a key of free-form objects", async () => {
    const words = { constructor: 1, hasOwnProperty: 2, toString: 3, "": 4, "a.b": 5 };
    const change = { metadata: words, adapterConfig: { ...words, env: { constructor: "x" } } };
    const { status, body } = await api.patch(filled("/api/agents/{agentId}"), change);
    expect(status).toBe(200);
    expect(body.metadata).toEqual(words);
    expect(body.adapterConfig).toMatchObject({ ...words, env: { constructor: "x" } });
  });

  it("as a name is trimmed, not blank and at most 500 characters", async () => {
    expect((await newCompany({ name: "  Trim \n" })).body.name).toBe("Trim");
    for (const name of ["", " ", "\t\n", "\u00a0"]) expectInvalid(await newCompany({ name }), "name");
    expect((await newCompany({ name: `  ${"x".repeat(500)}  ` })).status).toBe(201);
    expectInvalid(await newCompany({ name: "x".repeat(501) }), "name");
    for (const name of [null, 5, {}, ["x"], true]) expectInvalid(await newCompany({ name }), "name");
  });

  it("of 500 characters is valid as every other name", async () => {
    const [long, tooLong] = ["é".repeat(500), "é".repeat(501)];
    for (const [path, field, rest] of [
      ["/api/companies/{companyId}/agents", "name", { adapterType: "process" }],
      ["/api/companies/{companyId}/issues", "title", {}],
      ["/api/companies/{companyId}/projects", "name", {}],
      ["/api/companies/{companyId}/goals", "title", {}],
      ["/api/board-users", "name", {}],
      ["/api/board-tokens", "name", {}],
    ] as const) {
      expect((await api.post(filled(path), { [field]: long, ...rest })).status).toBe(201);
      expectInvalid(await api.post(filled(path), { [field]: tooLong, ...rest }), field);
    }
  });

  it("longer than a name is at most 512 KiB", async () => {
    const path = filled("/api/companies/{companyId}/issues");
    const kib = (n: number) => "é".repeat(n * 512);
    expect((await api.post(path, { title: "t", description: kib(512) })).status).toBe(201);
    expectInvalid(await api.post(path, { title: "t", description: `${kib(512)}x` }), "description");
  });
});

describe("A number", () => {
  it.each([-1, 0.5, 1e12 + 1, 1e300, "5", null, true, []])(
    "of cents refuses %j",
    async (budgetMonthlyCents) =>
      expectInvalid(await newCompany({ name: "Money", budgetMonthlyCents }), "budgetMonthlyCents"),
  );

  it("of cents is whole, from 0 to 10^12", async () => {
    for (const budgetMonthlyCents of [0, 1, 1e12]) {
      const answer = await newCompany({ name: "Money", budgetMonthlyCents });
      expect([answer.status, answer.body.budgetMonthlyCents]).toEqual([201, budgetMonthlyCents]);
      const agent = await newAgent({ budgetMonthlyCents });
      expect([agent.status, agent.body.budgetMonthlyCents]).toEqual([201, budgetMonthlyCents]);
    }
  });

  it.each([
    { intervalSec: -1 },
    { intervalSec: 0 },
    { intervalSec: 29 },
    { intervalSec: 31_536_001 },
    { maxConcurrentRuns: 0 },
    { maxConcurrentRuns: 51 },
    { enabled: "yes" },
  ])("of a heartbeat stays in its range: %j", async (heartbeat) =>
    expectInvalid(
      await newAgent({ runtimeConfig: { heartbeat } }),
      "runtimeConfig",
      "heartbeat",
      Object.keys(heartbeat)[0]!,
    ),
  );
});

describe("A day or a time", () => {
  it.each(["0000-01-01", "2026-02-30", "2026-13-01", "26-01-01", "tomorrow", "2026-01-01T00:00:00Z", "", 5])(
    "as a date refuses %j",
    async (targetDate) =>
      expectInvalid(
        await api.post(filled("/api/companies/{companyId}/projects"), { name: "P", targetDate }),
        "targetDate",
      ),
  );

  it.each(["0001-01-01", "2024-02-29", "9999-12-31"])("as a date accepts %s", async (targetDate) => {
    const project = await api.make(filled("/api/companies/{companyId}/projects"), { name: "P", targetDate });
    expect(project.targetDate).toBe(targetDate);
  });

  it.each(["0000-01-01T00:00:00Z", "2026-01-01", "2026-01-01T25:00:00Z", "never", 0])(
    "as a time refuses %j",
    async (expiresAt) =>
      expectInvalid(await api.post("/api/board-tokens", { name: "t", expiresAt }), "expiresAt"),
  );

  it("is answered in UTC with milliseconds, in whatever form it was sent", async () => {
    const made = await api.make("/api/board-tokens", { name: "t", expiresAt: "2099-01-01T00:00:00Z" });
    expect(made.expiresAt).toBe("2099-01-01T00:00:00.000Z");
    const listed = (await api.get("/api/board-tokens")).body;
    expect(listed.find(({ id }: { id: string }) => id === made.id).expiresAt).toBe(made.expiresAt);
  });
});

describe("A name of an environment variable", () => {
  it.each(["", "1A", "A-B", "A B", "A=B", "É"])("refuses %j", async (name) =>
    expectRefusal(await newAgent({ adapterConfig: { env: { [name]: "x" } } }), 400, "validation_error"),
  );
});

describe("An internal error", () => {
  it("shows no internal details", async () => {
    await api.sql`alter table goals rename to goals_away`;
    try {
      const answer = await api.get(filled("/api/goals/{goalId}"));
      expect(answer.status).toBe(500);
      expect(answer.body).toEqual({
        error: "Something went wrong in the service. See its log.",
        code: "internal_error",
      });
      expect([...answer.headers.keys()].join()).not.toMatch(/powered|server/);
    } finally {
      await api.sql`alter table goals_away rename to goals`;
    }
    expect((await api.get(filled("/api/goals/{goalId}"))).status).toBe(200);
  });

  it("ends when the database is back", async () => {
    await api.sql`
      select  pg_terminate_backend(pid)
      from    pg_stat_activity
      where   datname = current_database()
      and     pid <> pg_backend_pid()
    `;
    const seen = await eventually(
      () => api.get("/api/companies"),
      ({ status }) => status === 200,
    );
    expect(seen.status).toBe(200);
  });
});

describe("An oversized body", () => {
  it("with very many errors lists the first hundred", async () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`field${n}`, 1]));
    for (const body of [
      { name: "C", ...many },
      { name: "C", adapterConfig: { env: many } },
    ]) {
      const answer = await newAgent(body);
      expectRefusal(answer, 400, "validation_error");
      expect(answer.body.details.length).toBeLessThanOrEqual(100);
    }
  });

  it("that is compressed is refused", async () => {
    const answer = await sendBytes("/api/companies", '{"name":"C"}', { "content-encoding": "gzip" });
    expect([answer.status, answer.body.code]).toEqual([415, "unsupported_media_type"]);
  });
});

describe("Every answer", () => {
  it("forbids caching, sniffing and framing", async () => {
    for (const path of ["/api/health", "/api/companies", "/api/nothing", "/api/agent-guide"]) {
      const { headers } = await api.get(path);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    }
  });

  it("that requires credentials names the scheme", async () => {
    const answer = await api.get("/api/companies", { token: null });
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });
});
