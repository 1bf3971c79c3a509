import { createHmac, randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import * as Effect from "effect/Effect";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serviceKeys } from "../../adapters-infra/local/aes-cipher.ts";
import { type KeySource, loadMasterKey } from "../../adapters-infra/local/master-key.ts";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { tokenCredentials } from "../../adapters-infra/local/token-credentials.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import type { AgentId, CompanyId, RunId } from "../../core/model/shared/ids.ts";
import { type AgentAtWork, type ApiService, startApi } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";
import { outcomeOf, type RawRequest } from "../support/service.ts";

let api: ApiService;
let companyId: string;

beforeAll(async () => {
  api = await startApi({
    env: { SERVICE_ALLOWED_HOSTNAMES: "board.example", SERVICE_METRICS_TOKEN: "metrics-token-of-this-test" },
  });
  companyId = (await api.company()).id;
});
afterAll(() => api?.stop());

const unauthenticated = "401 unauthenticated";

/** The service's own signing keys, in the database under the tests' master key of zeros. */
const ownKeys = async (): Promise<KeySource> => {
  const source = { fromEnvironment: "00".repeat(32), path: "", expected: null };
  const sql = openDatabase(api.databaseUrl, { max: 1 });
  try {
    return await Effect.runPromise(
      Effect.flatMap(loadMasterKey(source), (ring) =>
        serviceKeys(ring, postgresAdapters(sql, systemClock).transactor),
      ),
    );
  } finally {
    await sql.end();
  }
};

const runToken = async ({ agentId, runId }: Pick<AgentAtWork, "agentId" | "runId">, ttlSec = 600) =>
  Effect.runPromise(
    tokenCredentials(await ownKeys()).mintRunToken(
      { agentId: agentId as AgentId, runId: runId as RunId, companyId: companyId as CompanyId },
      ttlSec,
    ),
  );

const agentAtWork = async () => api.atWork((await api.agent(companyId)).id);

describe("A board token", () => {
  it("is a bearer token, with any case of the word Bearer", async () => {
    for (const authorization of [`Bearer ${api.token}`, `bearer ${api.token}`, `BEARER   ${api.token} `])
      expect(outcomeOf(await api.get("/api/session", { token: null, headers: { authorization } }))).toBe(
        "200",
      );
    expect(api.token).toMatch(/^brd_[0-9a-f]{48}$/);
  });

  it.each(["", "Bearer", "Bearer ", "Basic YTpi", "Bearer a b", "brd_", "Bearer brd_", "Bearer null"])(
    "has no other form: %j",
    async (authorization) => {
      // An empty header counts as absent.
      const answer = await api.get("/api/session", { token: null, headers: { authorization } });
      expect(outcomeOf(answer)).toBe(unauthenticated);
    },
  );

  it("is refused in another case, shortened, and as a cookie", async () => {
    for (const token of [api.token.toUpperCase(), api.token.slice(0, -1), `${api.token}0`])
      expect(outcomeOf(await api.get("/api/session", { token }))).toBe(unauthenticated);
    const headers = { cookie: `boardroom_session=${api.token}` };
    expect(outcomeOf(await api.get("/api/session", { token: null, headers }))).toBe(unauthenticated);
  });

  it("ends when it expires or is revoked, or its user is disabled permanently", async () => {
    const user = await api.user(companyId, "viewer");
    const make = (fields: object) => api.make("/api/board-tokens", { name: "t", userId: user.id, ...fields });
    const expired = await make({ expiresAt: new Date(Date.now() - 1000).toISOString() });
    expect(outcomeOf(await api.get("/api/session", expired))).toBe(unauthenticated);
    const good = await make({ expiresAt: new Date(Date.now() + 60_000).toISOString() });
    expect(outcomeOf(await api.get("/api/session", good))).toBe("200");
    await api.delete(`/api/board-tokens/${good.id}`);
    expect(outcomeOf(await api.get("/api/session", good))).toBe(unauthenticated);

    await api.patch(`/api/board-users/${user.id}`, { disabled: true });
    expect(outcomeOf(await api.get("/api/session", user))).toBe(unauthenticated);
    await api.patch(`/api/board-users/${user.id}`, { disabled: false });
    expect(outcomeOf(await api.get("/api/session", user))).toBe(unauthenticated);
    expect(outcomeOf(await api.get("/api/session", await make({})))).toBe("200");
  });
});

/** Logs in and keeps the cookies. */
const login = async (token = api.token) => {
  const answer = await api.post("/api/session", undefined, { token });
  expect(answer.status).toBe(201);
  const setCookie = answer.headers.get("set-cookie")!;
  const cookie = setCookie.split(";")[0]!;
  const browser = (headers: Record<string, string> = {}): RawRequest => ({
    token: null,
    headers: { cookie, ...headers },
  });
  return { setCookie, cookie, csrfToken: answer.body.csrfToken as string, answer, browser };
};

describe("A web session", () => {
  it("is a cookie that no script reads and no other site sends", async () => {
    const { setCookie, answer } = await login();
    const [pair, ...flags] = setCookie.split("; ");
    expect(pair).toMatch(/^boardroom_session_[0-9a-f]{8}=ses_[0-9a-f]{48}$/);
    expect(flags.sort()).toEqual(["HttpOnly", "Max-Age=604800", "Path=/", "SameSite=Strict"]);
    expect(Object.keys(answer.body).sort()).toEqual(["csrfToken", "expiresAt"]);
    expect(Date.parse(answer.body.expiresAt)).toBeGreaterThan(Date.now());
  });

  it("reads as its user, and changes things only with its CSRF token", async () => {
    const user = await api.user(companyId, "operator");
    const { browser, csrfToken } = await login(user.token);
    const other = await login(user.token);
    expect((await api.get("/api/session", browser())).body.userId).toBe(user.id);
    const create = (headers?: Record<string, string>) =>
      api.post(`/api/companies/${companyId}/issues`, { title: "t" }, browser(headers));
    expect(outcomeOf(await create())).toBe("403 csrf_token_invalid");
    expect(outcomeOf(await create({ "x-csrf-token": "" }))).toBe("403 csrf_token_invalid");
    expect(outcomeOf(await create({ "x-csrf-token": other.csrfToken }))).toBe("403 csrf_token_invalid");
    expect(outcomeOf(await create({ "x-csrf-token": csrfToken }))).toBe("201");
    const remove = () => api.delete("/api/session", browser());
    expect(outcomeOf(await remove())).toBe("403 csrf_token_invalid");
  });

  it("gives the page its CSRF token again after a reload", async () => {
    const { browser, csrfToken } = await login();
    expect((await api.get("/api/session", browser())).body.csrfToken).toBe(csrfToken);
    expect((await api.get("/api/session")).body.csrfToken).toBeNull();
  });

  it("lasts while it is used, for seven days at most", async () => {
    const user = await api.user(companyId, "viewer");
    const { browser } = await login(user.token);
    const stands = async (usedBefore: string, endsIn: string) => {
      await api.sql`
        update board_tokens
        set    last_used_at = now() - ${usedBefore}::interval, expires_at = now() + interval '1 minute',
               ends_at = now() + ${endsIn}::interval
        where  kind = 'session' and user_id = ${user.id}
      `;
      expect(outcomeOf(await api.get("/api/session", browser()))).toBe("200");
      const ends = async () => {
        const [row] = await api.sql`
          select extract(epoch from expires_at - now())::float / 3600 as hours
          from   board_tokens
          where  kind = 'session' and user_id = ${user.id}
        `;
        return row!.hours as number;
      };
      return eventually(ends, (hours) => usedBefore === "0 s" || hours > 0.5);
    };
    expect(await stands("2 hours", "3 days")).toBeCloseTo(12, 1);
    expect(await stands("2 hours", "5 hours")).toBeCloseTo(5, 1);
    expect(await stands("0 s", "3 days")).toBeLessThan(0.1);
  });

  it("is ended by DELETE, which clears its cookie", async () => {
    const { browser, csrfToken } = await login();
    const still = await login();
    const ended = await api.delete("/api/session", browser({ "x-csrf-token": csrfToken }));
    expect(outcomeOf(ended)).toBe("200");
    expect(ended.headers.get("set-cookie")).toMatch(/^boardroom_session_[0-9a-f]{8}=;.*Max-Age=0/);
    expect(outcomeOf(await api.get("/api/session", browser()))).toBe(unauthenticated);
    expect(outcomeOf(await api.get("/api/session", still.browser()))).toBe("200");
  });

  it("gives precedence to a bearer token, and is not one itself", async () => {
    const { cookie } = await login();
    const user = await api.user(companyId, "viewer");
    const both = { token: user.token, headers: { cookie } };
    expect((await api.get("/api/session", both)).body.userId).toBe(user.id);
    expect(outcomeOf(await api.get("/api/session", { token: "nonsense", headers: { cookie } }))).toBe(
      unauthenticated,
    );
    expect(outcomeOf(await api.get("/api/session", { token: cookie.split("=")[1]! }))).toBe(unauthenticated);
  });

  it("is found among other cookies", async () => {
    const { cookie } = await login();
    const headers = { cookie: `a=b; ${cookie}; boardroom_session_x=1` };
    expect(outcomeOf(await api.get("/api/session", { token: null, headers }))).toBe("200");
  });

  it("expires, and ends with its user", async () => {
    const user = await api.user(companyId, "viewer");
    const { browser } = await login(user.token);
    const { browser: disabled } = await login(user.token);
    await api.sql`update board_tokens set expires_at = now() where kind = 'session' and user_id = ${user.id} and id = (
      select id from board_tokens where kind = 'session' and user_id = ${user.id} order by id limit 1
    )`;
    expect(outcomeOf(await api.get("/api/session", browser()))).toBe(unauthenticated);
    expect(outcomeOf(await api.get("/api/session", disabled()))).toBe("200");
    await api.patch(`/api/board-users/${user.id}`, { disabled: true });
    expect(outcomeOf(await api.get("/api/session", disabled()))).toBe(unauthenticated);
  });

  it("ends with the token it was exchanged for", async () => {
    const user = await api.user(companyId, "viewer");
    const [token] = (await api.get(`/api/board-tokens?userId=${user.id}`)).body;
    const other = await api.make("/api/board-tokens", { name: "other", userId: user.id });
    const first = await login(user.token);
    const ofOther = await login(other.token);
    expect(outcomeOf(await api.get("/api/session", first.browser()))).toBe("200");
    expect(outcomeOf(await api.delete(`/api/board-tokens/${token.id}`))).toBe("200");
    expect(outcomeOf(await api.get("/api/session", first.browser()))).toBe(unauthenticated);
    expect(outcomeOf(await api.get("/api/session", ofOther.browser()))).toBe("200");
  });

  it("makes another session by a link alone, which ends with the same token and no later", async () => {
    const user = await api.user(companyId, "viewer");
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const made = await api.make("/api/board-tokens", { name: "short", userId: user.id, expiresAt });
    const { browser, csrfToken } = await login(made.token);
    const withCsrf = browser({ "x-csrf-token": csrfToken });
    expect(outcomeOf(await api.post("/api/session", undefined, withCsrf))).toBe("403 session_needs_token");
    const { url } = (await api.post("/api/session/links", undefined, withCsrf)).body;
    const phone = await api.post("/api/session/code", { code: url.split("#code=")[1] }, { token: null });
    expect(outcomeOf(phone)).toBe("201");
    expect(Date.parse(phone.body.expiresAt)).toBeLessThanOrEqual(Date.parse(expiresAt));
    const cookie = phone.headers.get("set-cookie")!.split(";")[0]!;
    const onPhone = { token: null, headers: { cookie } };
    expect((await api.get("/api/sessions", onPhone)).body).toHaveLength(2);
    expect(outcomeOf(await api.delete(`/api/board-tokens/${made.id}`))).toBe("200");
    expect(outcomeOf(await api.get("/api/session", onPhone))).toBe(unauthenticated);
  });

  it("lasts no longer than its token", async () => {
    const user = await api.user(companyId, "viewer");
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const { token } = await api.make("/api/board-tokens", { name: "short", userId: user.id, expiresAt });
    const { answer } = await login(token);
    expect(answer.body.expiresAt).toBe(expiresAt);
  });

  it("goes only over https if the public address is https", async () => {
    const secure = await startApi({ env: { SERVICE_PUBLIC_URL: "https://board.example" } });
    try {
      const answer = await secure.post("/api/session");
      expect(answer.headers.get("set-cookie")).toMatch(/; Secure$/);
    } finally {
      await secure.stop();
    }
  });

  it("is not listed among the tokens", async () => {
    const user = await api.user(companyId, "viewer");
    await login(user.token);
    expect((await api.get("/api/board-tokens", { token: user.token })).body).toHaveLength(1);
  });
});

/** Sends a chosen Host header, which `fetch` cannot. */
const withHost = (headers: Record<string, string>, path = "/api/health") =>
  new Promise<number | undefined>((resolve, reject) => {
    const { hostname, port } = new URL(api.url);
    httpRequest({ hostname, port, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });

describe("A page of another origin", () => {
  const originOf = (host: string) => ({ origin: `http://${host}` });

  it("is refused before the caller is identified", async () => {
    for (const origin of [
      "http://evil.example",
      "https://evil.example",
      "null",
      "http://localhost:1",
      "file://",
      "",
    ])
      expect([origin, outcomeOf(await api.get("/api/health", { headers: { origin } }))]).toEqual([
        origin,
        "403 origin_not_allowed",
      ]);
  });

  it("is ours if host and port are the same, or its name is allowed", async () => {
    const { host } = new URL(api.url);
    for (const headers of [
      originOf(host),
      originOf("board.example"),
      { origin: "https://BOARD.example:8443" },
    ])
      expect(outcomeOf(await api.get("/api/health", { headers }))).toBe("200");
  });

  it("gains nothing by resolving its own name to us", async () => {
    const { port } = new URL(api.url);
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "localhost.evil.example",
      "127.0.0.1.evil.example",
    ])
      expect([host, await withHost({ host })]).toEqual([host, 403]);
    for (const host of ["localhost", `127.0.0.1:${port}`, "[::1]", "Board.Example", "LOCALHOST:80"])
      expect([host, await withHost({ host })]).toEqual([host, 200]);
  });
});

const isRead = (raw: RawRequest) => api.get("/api/agents/me", raw);

describe("An agent's key", () => {
  it("reads, comments and proposes outside of a run", async () => {
    const { token, agentId } = await agentAtWork();
    const raw = { token };
    const issue = await api.issue(companyId);
    expect((await isRead(raw)).body.id).toBe(agentId);
    expect(outcomeOf(await api.post(`/api/issues/${issue.id}/comments`, { body: "b" }, raw))).toBe("201");
    expect(outcomeOf(await api.post(`/api/companies/${companyId}/issues`, { title: "t" }, raw))).toBe("201");
  });

  it("needs a run to claim, change and release", async () => {
    const { token, agentId } = await agentAtWork();
    const { id } = await api.issue(companyId, { assigneeAgentId: agentId });
    const claim = { agentId, expectedStatuses: ["todo"] };
    expect(outcomeOf(await api.post(`/api/issues/${id}/checkout`, claim, { token }))).toBe(
      "400 run_id_required",
    );
    expect(outcomeOf(await api.patch(`/api/issues/${id}`, { title: "t" }, { token }))).toBe(
      "400 run_id_required",
    );
    expect(outcomeOf(await api.post(`/api/issues/${id}/release`, {}, { token }))).toBe("400 run_id_required");
  });

  it("acts in the live run that it names, which is recorded", async () => {
    const { as, runId } = await agentAtWork();
    const issue = await api.issue(companyId);
    const comment = await api.make(`/api/issues/${issue.id}/comments`, { body: "b" }, as);
    expect(comment.createdByRunId).toBe(runId);
    const [entry] = (await api.get(`/api/issues/${issue.id}/activity`)).body;
    expect(entry).toMatchObject({ actorType: "agent", actorId: comment.authorAgentId, runId });
  });

  it("in upper case names the same run: its claims are its own", async () => {
    const { token, agentId, runId } = await agentAtWork();
    const { id } = await api.issue(companyId);
    const claim = { agentId: agentId.toUpperCase(), expectedStatuses: ["backlog"] };
    const capitals = { token, headers: { "x-service-run-id": runId.toUpperCase() } };
    for (const _ of ["first", "again"])
      expect(outcomeOf(await api.post(`/api/issues/${id}/checkout`, claim, capitals))).toBe("200");
  });

  it("can only name a live run of its own", async () => {
    const [mine, other] = [await agentAtWork(), await agentAtWork()];
    const naming = (runId: string) => isRead({ token: mine.token, headers: { "x-service-run-id": runId } });
    for (const runId of [other.runId, randomUUID(), "not-a-run", ""])
      expect([runId, outcomeOf(await naming(runId))]).toEqual([runId, "403 run_not_yours"]);
    expect(outcomeOf(await naming(mine.runId.toUpperCase()))).toBe("200");
    await api.make(`/api/heartbeat-runs/${mine.runId}/cancel`);
    expect(outcomeOf(await naming(mine.runId))).toBe("403 run_not_yours");
    expect(outcomeOf(await isRead({ token: mine.token }))).toBe("200");
  });

  it("acts only for its agent", async () => {
    const [mine, other] = [await agentAtWork(), await agentAtWork()];
    const issue = await api.issue(companyId);
    const claim = { agentId: other.agentId, expectedStatuses: ["backlog"] };
    expect(outcomeOf(await api.post(`/api/issues/${issue.id}/checkout`, claim, mine.as))).toBe(
      "403 forbidden",
    );
  });

  it("ends when it is revoked or its agent is terminated, and is refused until its agent is approved", async () => {
    const { agentId, token } = await agentAtWork();
    const second = await api.make(`/api/agents/${agentId}/keys`, { name: "second" });
    await api.delete(`/api/agents/${agentId}/keys/${second.id}`);
    expect(outcomeOf(await isRead(second))).toBe(unauthenticated);
    expect(outcomeOf(await isRead({ token }))).toBe("200");

    await api.sql`update agents set lifecycle_state = 'pending_approval' where id = ${agentId}`;
    expect(outcomeOf(await isRead({ token }))).toBe(unauthenticated);
    await api.sql`update agents set lifecycle_state = 'active' where id = ${agentId}`;
    expect(outcomeOf(await isRead({ token }))).toBe("200");

    await api.make(`/api/agents/${agentId}/terminate`);
    expect(outcomeOf(await isRead({ token }))).toBe(unauthenticated);
    const keys = (await api.get(`/api/agents/${agentId}/keys`)).body;
    expect(keys.map(({ revokedAt }: { revokedAt: string | null }) => revokedAt)).not.toContain(null);
    expect(outcomeOf(await api.post(`/api/agents/${agentId}/keys`, {}))).toBe("409 agent_terminated");
  });
});

describe("A run token", () => {
  it("acts as its agent in its run, with or without the header", async () => {
    const work = await agentAtWork();
    const token = await runToken(work);
    expect((await isRead({ token })).body.id).toBe(work.agentId);
    const issue = await api.issue(companyId);
    const claim = { agentId: work.agentId, expectedStatuses: ["backlog"] };
    const claimed = await api.post(`/api/issues/${issue.id}/checkout`, claim, { token });
    expect(claimed.body.checkoutRunId).toBe(work.runId);
    for (const runId of [work.runId, work.runId.toUpperCase()])
      expect(outcomeOf(await isRead({ token, headers: { "x-service-run-id": runId } }))).toBe("200");
  });

  it("is refused if the header contradicts it", async () => {
    const [mine, other] = [await agentAtWork(), await agentAtWork()];
    for (const runId of [other.runId, randomUUID(), "x"]) {
      const raw = { token: await runToken(mine), headers: { "x-service-run-id": runId } };
      expect(outcomeOf(await isRead(raw))).toBe("422 run_id_mismatch");
    }
  });

  it("ends with its run, regardless of its own expiry", async () => {
    const work = await agentAtWork();
    const token = await runToken(work, 100_000);
    await api.make(`/api/heartbeat-runs/${work.runId}/cancel`);
    const answer = await isRead({ token });
    expect(outcomeOf(answer)).toBe("401 run_ended");
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("is refused if it is expired, of another agent, or signed by another key", async () => {
    const [mine, other] = [await agentAtWork(), await agentAtWork()];
    const good = await runToken(mine);
    const [head, claims, signature] = good.split(".") as [string, string, string];
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const forged = createHmac("sha256", "guess").update(`${head}.${claims}`).digest("base64url");
    const key = (await ownKeys()).derive("run tokens");
    const endless = await new SignJWT({ company_id: companyId, run_id: mine.runId })
      .setProtectedHeader({ alg: "HS256" })
      .setSubject(mine.agentId)
      .sign(key);
    for (const token of [
      await runToken(mine, -60),
      await runToken({ agentId: other.agentId, runId: mine.runId }),
      await runToken({ agentId: mine.agentId, runId: randomUUID() }),
      `${head}.${claims}.${forged}`,
      `${none}.${claims}.`,
      `${head}.${claims}.${signature.slice(0, -2)}`,
      `${head}.${claims}`,
      endless,
    ])
      expect(outcomeOf(await isRead({ token }))).toBe(unauthenticated);
  });

  it("is refused if its agent is terminated or waits for approval", async () => {
    const work = await agentAtWork();
    const token = await runToken(work);
    await api.sql`update agents set lifecycle_state = 'pending_approval' where id = ${work.agentId}`;
    expect(outcomeOf(await isRead({ token }))).toBe(unauthenticated);
    await api.sql`update agents set lifecycle_state = 'active' where id = ${work.agentId}`;
    await api.make(`/api/agents/${work.agentId}/terminate`);
    expect((await isRead({ token })).status).toBe(401);
  });
});

describe("The public part", () => {
  it("of health is the status; admins see more", async () => {
    expect((await api.get("/api/health", { token: null })).body).toEqual({ status: "ok" });
    const { token } = await agentAtWork();
    expect((await api.get("/api/health", { token })).body).toEqual({ status: "ok" });
    const viewer = await api.user(companyId, "viewer");
    expect(Object.keys((await api.get("/api/health", viewer)).body)).toEqual(["status", "version"]);
    expect((await api.get("/api/health")).body).toMatchObject({
      role: "api",
      runsQueued: expect.any(Number),
      wakesPending: expect.any(Number),
      separation: {
        level: "not",
        gaps: expect.arrayContaining([expect.stringMatching(/SERVICE_SANDBOX is off/)]),
      },
    });
  });

  it("excludes the metrics: admins and scrapers with the token see them", async () => {
    const text = await api.get("/metrics", { token: "metrics-token-of-this-test" });
    expect([text.status, text.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("text/plain"),
    ]);
    expect(outcomeOf(await api.get("/metrics"))).toBe("200");
    expect(outcomeOf(await api.get("/metrics", { token: "metrics-token-of-this-tesT" }))).toBe(
      unauthenticated,
    );
    expect(outcomeOf(await api.get("/api/companies", { token: "metrics-token-of-this-test" }))).toBe(
      unauthenticated,
    );
  });
});
