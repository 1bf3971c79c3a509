import { randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { mostGuesses } from "../../hosts/http/guesses.ts";
import { mostRegistrations } from "../../hosts/http/oauth/oauth-endpoint.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { authenticator } from "../support/authenticator.ts";
import { ask } from "../support/mcp.ts";
import { type Browser, browserOf, outcomeOf, pkce, postForm, register } from "../support/oauth-client.ts";

const origin = "https://board.example";
const resource = `${origin}/mcp`;
const redirectUri = "http://127.0.0.1:4711/callback";

let api: ApiService;
let companyId: string;
beforeAll(async () => {
  api = await startApi({ env: { SERVICE_PUBLIC_URL: origin } });
  companyId = (await api.company()).id;
});
afterAll(() => api?.stop());

const byLink = async (token: string): Promise<Browser> => {
  const { url } = await api.make("/api/session/links", undefined, { token });
  return browserOf(await api.post("/api/session/code", { code: url.split("#code=")[1] }, { token: null }));
};

const aPerson = async (role = "operator") => {
  const user = await api.user(companyId, role);
  return { ...user, browser: await byLink(user.token) };
};

const aClient = async (): Promise<string> =>
  (await register(api.url, { client_name: "Claude", redirect_uris: [redirectUri] })).body.client_id;

type Fields = Readonly<Record<string, string | null>>;

const queryOf = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).filter((field): field is [string, string] => field[1] !== null),
  ).toString();

interface Asked {
  readonly clientId: string;
  readonly verifier: string;
  readonly query: string;
}

const asking = (clientId: string, differs: Fields = {}): Asked => {
  const { verifier, challenge } = pkce();
  const query = queryOf({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "s 1&2",
    resource,
    ...differs,
  });
  return { clientId, verifier, query };
};

const allow = (browser: Browser, query: string, scopes: readonly string[] = ["read", "work", "decide"]) =>
  api.post("/api/assistants", { request: query, scopes }, browser);

const codeIn = (redirectUrl: string): string => new URL(redirectUrl).searchParams.get("code")!;

const exchange = ({ clientId, verifier }: Asked, code: string, differs: Fields = {}) =>
  postForm(
    api.url,
    "/oauth/token",
    queryOf({
      grant_type: "authorization_code",
      code,
      client_id: clientId,
      code_verifier: verifier,
      redirect_uri: redirectUri,
      resource,
      ...differs,
    }),
  );

const refresh = (clientId: string, token: string, differs: Fields = {}) =>
  postForm(
    api.url,
    "/oauth/token",
    queryOf({ grant_type: "refresh_token", refresh_token: token, client_id: clientId, resource, ...differs }),
  );

/** A person whose assistant has its tokens. */
const connected = async (role?: string, scopes?: readonly string[]) => {
  const person = await aPerson(role);
  const asked = asking(await aClient());
  const code = codeIn((await allow(person.browser, asked.query, scopes)).body.redirectUrl);
  const { access_token: access, refresh_token: refreshToken } = (await exchange(asked, code)).body;
  return { ...person, ...asked, code, access: access as string, refreshToken: refreshToken as string };
};

const call = (token: string, name: string, args: object = {}) =>
  ask(api.url, { token }, "tools/call", { name, arguments: args });

const operate = (token: string, name: string, args: object = {}) =>
  call(token, "call_operation", { name, arguments: args });

const toolText = (answer: Awaited<ReturnType<typeof ask>>): string =>
  answer.message.result?.content[0].text ?? `${answer.status} ${answer.message.code}`;

/** The status with which the tools answer a token. */
const lives = async (token: string): Promise<number> => (await ask(api.url, { token }, "tools/list")).status;

const later = async <A>(seconds: number, work: () => Promise<A>): Promise<A> => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1_000 });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
};

describe("An assistant", () => {
  it("learns where to get a token, in the service's own name, whatever name the request has", async () => {
    const challenge = (answer: { headers: Headers }) => answer.headers.get("www-authenticate");
    const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    const without = await ask(api.url, { token: null }, "tools/list");
    expect(without.status).toBe(401);
    expect(challenge(without)).toBe(`Bearer scope="read work decide", ${metadata}`);
    const wrong = await ask(api.url, { token: `oat_${"0".repeat(48)}` }, "tools/list");
    expect(wrong.status).toBe(401);
    expect(challenge(wrong)).toBe(`Bearer error="invalid_token", scope="read work decide", ${metadata}`);
    const get = async (path: string) => {
      const answer = await fetch(api.url + path);
      expect(answer.status).toBe(200);
      return answer.json();
    };
    for (const path of ["", "/mcp"])
      expect(await get(`/.well-known/oauth-protected-resource${path}`)).toMatchObject({
        resource,
        authorization_servers: [origin],
        scopes_supported: ["read", "work", "decide"],
      });
    for (const name of ["oauth-authorization-server", "openid-configuration"])
      expect(await get(`/.well-known/${name}`)).toMatchObject({
        issuer: origin,
        authorization_endpoint: `${origin}/oauth/authorize`,
        token_endpoint: `${origin}/oauth/token`,
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        client_id_metadata_document_supported: true,
        authorization_response_iss_parameter_supported: true,
      });
  });

  it("never learns another address from a forged Host header", async () => {
    const { port } = new URL(api.url);
    const asHost = (host: string, path: string) =>
      new Promise<string>((resolve, reject) => {
        const sent = httpRequest({ host: "127.0.0.1", port, path, headers: { host } }, async (answer) => {
          const chunks: Buffer[] = [];
          for await (const chunk of answer) chunks.push(chunk as Buffer);
          resolve(`${answer.statusCode} ${Buffer.concat(chunks)}`);
        });
        sent.on("error", reject).end();
      });
    for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"]) {
      expect(await asHost("evil.example", path)).toMatch(/^403 .*host_not_allowed/);
      for (const host of ["203.0.113.7", `localhost:${port}`, "board.example:444"])
        expect(await asHost(host, path)).toMatch(/^200 (?!.*(203|localhost|444))/);
    }
  });

  it("acts with the person's rights, and the activity names it", async () => {
    const { id, access } = await connected("operator");
    const answer = await call(access, "create_subtask", { title: "Measure the tides" });
    expect(toolText(answer)).toMatch(/Measure|-1|created/i);
    const entries = (await api.get(`/api/companies/${companyId}/activity?actorId=${id}`)).body;
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: "issue.created",
        actorType: "board",
        actorId: id,
        assistant: "Claude",
      }),
    );
    expect(entries).toContainEqual(
      expect.objectContaining({ action: "member.assistant_connected", assistant: null }),
    );
    const viewer = await connected("viewer");
    expect(toolText(await operate(viewer.access, "projects.create", { companyId, name: "X" }))).toMatch(
      /operation_unknown/,
    );
    // Roles are those of now.
    await api.delete(`/api/companies/${companyId}/members/${id}`);
    expect(toolText(await operate(access, "companies.get", { companyId }))).toMatch(/operation_unknown/);
  });

  it("has a token for the tools alone", async () => {
    const { access } = await connected();
    expect(await lives(access)).toBe(200);
    for (const path of ["/api/session", "/api/companies", `/api/companies/${companyId}/issues`, "/metrics"])
      expect((await api.get(path, { token: access })).status, path).toBe(401);
    expect((await api.post("/api/board-tokens", { name: "x" }, { token: access })).status).toBe(401);
    expect((await api.get("/api/session/current", { token: access })).status).toBe(401);
  });

  it("does what its scopes allow, and learns which it lacks", async () => {
    const reader = await connected("operator", ["read"]);
    expect(toolText(await operate(reader.access, "companies.list"))).toContain(companyId);
    const refused = await operate(reader.access, "projects.create", { companyId, name: "X" });
    expect([refused.status, refused.message.code]).toEqual([403, "insufficient_scope"]);
    expect(refused.headers.get("www-authenticate")).toBe(
      `Bearer error="insufficient_scope", scope="read work", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    );
    const names = (await ask(api.url, { token: reader.access }, "tools/list")).message.result.tools.map(
      ({ name }: { name: string }) => name,
    );
    expect(names).toContain("search_issues");
    expect(names).not.toContain("comment");
    const worker = await connected("owner", ["read", "work"]);
    expect((await operate(worker.access, "projects.create", { companyId, name: "Y" })).status).toBe(200);
    for (const [name, args] of [
      ["approvals.approve", { approvalId: randomUUID() }],
      ["interactions.accept", { issueId: randomUUID(), interactionId: randomUUID() }],
      ["members.set", { companyId, userId: worker.id, role: "owner" }],
    ] as const)
      expect((await operate(worker.access, name, args)).headers.get("www-authenticate"), name).toMatch(
        /scope="read work decide"/,
      );
    const decider = await connected("owner", ["read", "work", "decide"]);
    expect(
      toolText(await operate(decider.access, "approvals.approve", { approvalId: randomUUID() })),
    ).toMatch(/approval_not_found/);
  });

  it("overrides gates only if it may decide", async () => {
    const { id: issueId } = await api.issue(companyId);
    await api.put(`/api/issues/${issueId}/gates`, { gates: [{ kind: "clean" }] }).catch(() => null);
    const worker = await connected("operator", ["read", "work"]);
    const override = { issueId, status: "done", overrideGates: true };
    expect(toolText(await operate(worker.access, "issues.update", override))).toMatch(/can't override gates/);
    const decider = await connected("operator");
    expect(toolText(await operate(decider.access, "issues.update", override))).toMatch(/"status":"done"/);
  });

  it("never does what its person must verify, nor sees or makes credentials", async () => {
    const { access } = await connected("owner");
    const { id: agentId } = await api.agent(companyId);
    expect(toolText(await operate(access, "agents.terminate", { agentId }))).toMatch(/not_by_assistant/);
    expect((await api.get(`/api/agents/${agentId}`)).body.status).not.toBe("terminated");
    for (const name of [
      "tokens.create",
      "session.createLink",
      "passkeys.create",
      "assistants.allow",
      "agents.createKey",
    ])
      expect(toolText(await operate(access, name, { name: "x" })), name).toMatch(/operation_unknown/);
  });

  it("refreshes its token, and can narrow its scopes but not widen them", async () => {
    const { clientId, refreshToken } = await connected("operator", ["read", "work"]);
    const next = await refresh(clientId, refreshToken, { scope: "read" });
    expect(next.body).toMatchObject({ token_type: "Bearer", scope: "read", expires_in: 1_800 });
    expect((await operate(next.body.access_token, "projects.create", { companyId, name: "X" })).status).toBe(
      403,
    );
    expect(outcomeOf(await refresh(clientId, next.body.refresh_token, { scope: "read decide" }))).toBe(
      "400 invalid_scope",
    );
    const again = await refresh(clientId, next.body.refresh_token);
    expect(again.body.scope).toBe("read work");
  });

  it("is listed for its person alone, who disconnects it", async () => {
    const [mine, theirs] = [await connected(), await connected()];
    const { body } = await api.get("/api/assistants", mine.browser);
    expect(body).toMatchObject([
      { name: "Claude", host: "127.0.0.1:4711", scopes: ["read", "work", "decide"] },
    ]);
    const path = `/api/assistants/${body[0].id}`;
    expect((await api.delete(path, theirs.browser)).status).toBe(404);
    expect((await api.delete(path)).status).toBe(404);
    expect(await lives(mine.access)).toBe(200);
    expect((await api.delete(path, mine.browser)).status).toBe(200);
    expect(await lives(mine.access)).toBe(401);
    expect(outcomeOf(await refresh(mine.clientId, mine.refreshToken))).toBe("400 invalid_grant");
    expect((await api.get("/api/assistants", mine.browser)).body).toEqual([]);
    expect(await lives(theirs.access)).toBe(200);
  });

  it("revokes its own tokens, and no other client's", async () => {
    const { clientId, access, refreshToken, browser } = await connected();
    const other = await aClient();
    const revoke = (token: string, client_id: string) =>
      postForm(api.url, "/oauth/revoke", { token, client_id });
    expect((await revoke(refreshToken, other)).status).toBe(200);
    expect((await revoke("ort_unknown", clientId)).status).toBe(200);
    expect(await lives(access)).toBe(200);
    expect((await revoke(access, clientId)).status).toBe(200);
    expect(await lives(access)).toBe(401);
    expect((await api.get("/api/assistants", browser)).body).toHaveLength(1);
    expect((await revoke(refreshToken, clientId)).status).toBe(200);
    expect((await api.get("/api/assistants", browser)).body).toEqual([]);
  });

  it("ends with the access of its person", async () => {
    const { id, access, clientId, refreshToken } = await connected();
    await api.patch(`/api/board-users/${id}`, { disabled: true });
    expect(await lives(access)).toBe(401);
    expect(outcomeOf(await refresh(clientId, refreshToken))).toBe("400 invalid_grant");
    await api.patch(`/api/board-users/${id}`, { disabled: false });
    expect(await lives(access)).toBe(401);
    expect(outcomeOf(await refresh(clientId, refreshToken))).toBe("400 invalid_grant");
  });

  it("has tokens that expire", async () => {
    const { access, clientId, refreshToken, browser } = await connected();
    await later(29 * 60, async () => expect(await lives(access)).toBe(200));
    await later(31 * 60, async () => expect(await lives(access)).toBe(401));
    await later(31 * 86_400, async () =>
      expect(outcomeOf(await refresh(clientId, refreshToken))).toBe("400 invalid_grant"),
    );
    expect((await api.get("/api/assistants", browser)).body).toHaveLength(1);
  });

  it("leaves no text of a code or token in the database", async () => {
    const { code, access, refreshToken } = await connected();
    const rows = await api.sql`
      select to_jsonb(a)::text as row from assistants a union all select to_jsonb(t)::text from assistant_tokens t
      union all select to_jsonb(l)::text from activity l
    `;
    const all = rows.map(({ row }) => row).join("\n");
    expect(all).toContain("Claude");
    for (const text of [code, access, refreshToken]) expect(all).not.toContain(text);
  });
});

describe("Consent to an assistant", () => {
  it("shows who asks, and goes back with code, state and issuer", async () => {
    const { browser } = await aPerson();
    const { query } = asking(await aClient(), { scope: "read work offline_access" });
    expect((await api.post("/api/assistants/requests", { request: query }, browser)).body).toEqual({
      name: "Claude",
      host: "127.0.0.1:4711",
      site: null,
      scopes: ["read", "work"],
      problem: null,
      returnUrl: `${redirectUri}?error=access_denied&state=s+1%262&iss=${encodeURIComponent(origin)}`,
    });
    const back = new URL((await allow(browser, query, ["read"])).body.redirectUrl);
    expect(back.origin + back.pathname).toBe(redirectUri);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: "s 1&2",
      iss: origin,
    });
    expect((await allow(browser, query, ["read", "decide"])).status).toBe(422);
    expect((await allow(browser, query, [])).status).toBe(400);
  });

  it("needs a web session with its own CSRF token, and the passkey of a person who has one", async () => {
    const { token, browser } = await aPerson();
    const { query } = asking(await aClient());
    expect(outcomeOf(await allow({ token } as unknown as Browser, query))).toMatch(
      /^403 assistant_needs_session$/,
    );
    const { cookie } = browser.headers as { cookie: string };
    const forged = { token: null, headers: { cookie } } as Browser;
    expect(outcomeOf(await allow(forged, query))).toBe("403 csrf_token_invalid");
    const another = (await aPerson()).browser.headers["x-csrf-token"]!;
    expect(outcomeOf(await allow({ token: null, headers: { cookie, "x-csrf-token": another } }, query))).toBe(
      "403 csrf_token_invalid",
    );
    expect(outcomeOf(await allow({ token: null, headers: {} }, query))).toBe("401 unauthenticated");
    const evil = { ...browser.headers, origin: "https://evil.example" };
    expect(outcomeOf(await allow({ token: null, headers: evil }, query))).toBe("403 origin_not_allowed");
    const key = authenticator(origin);
    const { flow, options } = (await api.post("/api/passkeys/options", undefined, browser)).body;
    await api.post("/api/passkeys", { name: "Phone", flow, response: key.create(options) }, browser);
    expect(outcomeOf(await allow(await byLink(token), query))).toBe("403 verification_required");
  });

  it.each<[string, Fields]>([
    ["an unknown client", { client_id: randomUUID() }],
    ["no client", { client_id: null }],
    ["a client id by http", { client_id: "http://assistant.example/client.json" }],
    ["a client id without a path", { client_id: "https://assistant.example/" }],
    ["another redirect URI", { redirect_uri: "http://127.0.0.1:4711/other" }],
    ["a redirect URI to another host", { redirect_uri: "https://evil.example/callback" }],
    ["a redirect URI with more at the end", { redirect_uri: `${redirectUri}/../evil` }],
    ["a redirect URI with a query", { redirect_uri: `${redirectUri}?next=evil` }],
    [
      "a redirect URI that only looks like loopback",
      { redirect_uri: "http://127.0.0.1:4711@evil.example/callback" },
    ],
    ["a script as redirect URI", { redirect_uri: "javascript:alert(1)" }],
  ])("sends nobody anywhere for %s", async (_, differs) => {
    const { browser } = await aPerson();
    const { query } = asking(await aClient(), differs);
    for (const answer of [
      await api.post("/api/assistants/requests", { request: query }, browser),
      await allow(browser, query),
    ])
      expect(outcomeOf(answer)).toBe("422 authorization_not_valid");
  });

  it("takes any port of the person's own machine, as RFC 8252 has it", async () => {
    const { browser } = await aPerson();
    const { query } = asking(await aClient(), { redirect_uri: "http://127.0.0.1:50123/callback" });
    expect((await allow(browser, query)).body.redirectUrl).toMatch(
      /^http:\/\/127\.0\.0\.1:50123\/callback\?code=/,
    );
  });

  it.each<[string, Fields, string]>([
    ["no PKCE", { code_challenge: null, code_challenge_method: null }, "invalid_request"],
    ["plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
    ["PKCE without a method", { code_challenge_method: null }, "invalid_request"],
    ["the implicit grant", { response_type: "token" }, "unsupported_response_type"],
    ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["the rest of the API", { resource: `${origin}/api` }, "invalid_target"],
    ["an unknown scope", { scope: "read admin" }, "invalid_scope"],
  ])("refuses %s, and tells the client where the person goes back", async (_, differs, error) => {
    const { browser } = await aPerson();
    const { query } = asking(await aClient(), differs);
    const { body } = await api.post("/api/assistants/requests", { request: query }, browser);
    expect(body).toMatchObject({ scopes: [], problem: expect.any(String) });
    const back = new URL(body.returnUrl).searchParams;
    expect([back.get("error"), back.get("state"), back.get("iss")]).toEqual([error, "s 1&2", origin]);
    expect(outcomeOf(await allow(browser, query))).toBe("422 authorization_not_valid");
  });

  it("refuses a parameter that occurs twice", async () => {
    const { browser } = await aPerson();
    const { query } = asking(await aClient());
    for (const more of ["&resource=https://other.example/mcp", "&redirect_uri=https://evil.example"])
      expect(outcomeOf(await allow(browser, query + more))).toBe("422 authorization_not_valid");
  });
});

describe("The token endpoint refuses", () => {
  const begun = async () => {
    const { browser } = await aPerson();
    const asked = asking(await aClient());
    return { browser, asked, code: codeIn((await allow(browser, asked.query)).body.redirectUrl) };
  };

  it.each<[string, () => Promise<Fields> | Fields]>([
    ["a wrong verifier", () => ({ code_verifier: pkce().verifier })],
    ["the challenge as verifier", () => ({ code_verifier: pkce().challenge })],
    ["another client's code", async () => ({ client_id: await aClient() })],
    ["another redirect URI", () => ({ redirect_uri: "http://127.0.0.1:9/callback" })],
  ])("%s, and the code is of no use afterwards", async (_, differs) => {
    const { asked, code, browser } = await begun();
    expect(outcomeOf(await exchange(asked, code, await differs()))).toBe("400 invalid_grant");
    expect(outcomeOf(await exchange(asked, code))).toBe("400 invalid_grant");
    expect((await api.get("/api/assistants", browser)).body).toEqual([]);
  });

  it("a code that is used twice, and ends what the first use gave", async () => {
    const { asked, code, browser } = await begun();
    const { access_token, refresh_token } = (await exchange(asked, code)).body;
    expect(await lives(access_token)).toBe(200);
    expect(outcomeOf(await exchange(asked, code))).toBe("400 invalid_grant");
    expect(await lives(access_token)).toBe(401);
    expect(outcomeOf(await refresh(asked.clientId, refresh_token))).toBe("400 invalid_grant");
    expect((await api.get("/api/assistants", browser)).body).toEqual([]);
  });

  it("a code after a minute", async () => {
    const { asked, code } = await begun();
    await later(61, async () => expect(outcomeOf(await exchange(asked, code))).toBe("400 invalid_grant"));
  });

  it("a code of another session's consent, which an attacker has put into a person's client", async () => {
    const [attacker, victim] = [await begun(), await begun()];
    const injected = { ...victim.asked, clientId: attacker.asked.clientId };
    expect(outcomeOf(await exchange(injected, attacker.code))).toBe("400 invalid_grant");
    expect(outcomeOf(await exchange(victim.asked, victim.code))).toBe("200");
  });

  it("a refresh token that is used twice, and ends the assistant", async () => {
    const { clientId, refreshToken, browser, id } = await connected();
    const next = (await refresh(clientId, refreshToken)).body;
    expect(await lives(next.access_token)).toBe(200);
    expect(outcomeOf(await refresh(clientId, refreshToken))).toBe("400 invalid_grant");
    expect(await lives(next.access_token)).toBe(401);
    expect(outcomeOf(await refresh(clientId, next.refresh_token))).toBe("400 invalid_grant");
    expect((await api.get("/api/assistants", browser)).body).toEqual([]);
    const entries = (await api.get(`/api/companies/${companyId}/activity?entityId=${id}`)).body;
    expect(entries[0]).toMatchObject({
      action: "member.assistant_disconnected",
      actorType: "system",
      details: { name: "Claude", reused: true },
    });
  });

  it("a refresh token that comes twice at once for one of the two", async () => {
    const { clientId, refreshToken } = await connected();
    const both = await Promise.all([refresh(clientId, refreshToken), refresh(clientId, refreshToken)]);
    expect(both.map(outcomeOf).sort()).toEqual(["200", "400 invalid_grant"]);
  });

  it.each<[string, Fields, string]>([
    ["another resource", { resource: "https://other.example/mcp" }, "400 invalid_target"],
    ["no verifier", { code_verifier: null }, "400 invalid_request"],
    ["no client", { client_id: null }, "400 invalid_request"],
    ["another grant type", { grant_type: "password" }, "400 unsupported_grant_type"],
    ["client credentials", { grant_type: "client_credentials" }, "400 unsupported_grant_type"],
  ])("%s, and the code stays good", async (_, differs, refusal) => {
    const { asked, code } = await begun();
    expect(outcomeOf(await exchange(asked, code, differs))).toBe(refusal);
    expect(outcomeOf(await exchange(asked, code))).toBe("200");
  });

  it("an access token where a refresh token belongs, another client's, and another resource", async () => {
    const { clientId, access, refreshToken } = await connected();
    expect(outcomeOf(await refresh(clientId, access))).toBe("400 invalid_grant");
    expect(outcomeOf(await refresh(await aClient(), refreshToken))).toBe("400 invalid_grant");
    const other = { resource: "https://other.example/mcp" };
    expect(outcomeOf(await refresh(clientId, refreshToken, other))).toBe("400 invalid_target");
    expect(outcomeOf(await refresh(clientId, refreshToken))).toBe("200");
    expect(await lives(refreshToken)).toBe(401);
  });

  it("JSON, a parameter that occurs twice, and other methods", async () => {
    const json = await fetch(`${api.url}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect(json.status).toBe(400);
    expect(await json.json()).toMatchObject({ error: "invalid_request" });
    const twice = await postForm(api.url, "/oauth/token", "grant_type=refresh_token&client_id=a&client_id=b");
    expect(outcomeOf(twice)).toBe("400 invalid_request");
    for (const path of ["/oauth/token", "/oauth/register", "/oauth/revoke"])
      expect((await fetch(api.url + path)).status).toBe(405);
  });
});

describe("Guesses", () => {
  const there = (address: string) => ({ "x-forwarded-for": address });
  const form = (fields: Fields, address: string) =>
    fetch(`${api.url}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...there(address) },
      body: queryOf(fields),
    });

  it("of codes and tokens are limited for an address, which locks out no assistant that is connected there", async () => {
    const address = "198.51.100.61";
    const asked = asking(await aClient());
    const { browser } = await aPerson();
    const code = codeIn((await allow(browser, asked.query)).body.redirectUrl);
    const exchanged = await form(
      { grant_type: "authorization_code", code, client_id: asked.clientId, code_verifier: asked.verifier },
      address,
    );
    const tokens = (await exchanged.json()) as { refresh_token: string };
    const guess = { grant_type: "authorization_code", client_id: "c", code_verifier: "v" };
    const statuses: number[] = [];
    for (let n = 0; n <= mostGuesses; n++)
      statuses.push((await form({ ...guess, code: `guess ${n}` }, address)).status);
    expect(statuses).toEqual([...Array(mostGuesses).fill(400), 429]);
    const wrong = { grant_type: "refresh_token", client_id: asked.clientId, refresh_token: "ort_guess" };
    const limited = await form(wrong, address);
    expect([limited.status, await limited.json()]).toEqual([
      429,
      { error: "too_many_guesses", error_description: expect.any(String) },
    ]);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await form(wrong, "198.51.100.62")).status).toBe(400);
    expect((await form({ ...wrong, refresh_token: tokens.refresh_token }, address)).status).toBe(200);
  });

  it("are not helped by many registrations", async () => {
    const metadata = { redirect_uris: [redirectUri] };
    const from = (address: string) =>
      fetch(`${api.url}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json", ...there(address) },
        body: JSON.stringify(metadata),
      });
    for (let n = 0; n < mostRegistrations; n++) expect((await from("198.51.100.63")).status).toBe(201);
    const refused = await from("198.51.100.63");
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect((await from("198.51.100.64")).status).toBe(201);
  });
});

describe("Registration of a client", () => {
  it.each<[string, object, string]>([
    ["no redirect URI", { redirect_uris: [] }, "invalid_redirect_uri"],
    ["none at all", {}, "invalid_redirect_uri"],
    ["21 of them", { redirect_uris: Array(21).fill("https://a.example/") }, "invalid_redirect_uri"],
    ["a script", { redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    ["data", { redirect_uris: ["data:text/html,x"] }, "invalid_redirect_uri"],
    ["a file", { redirect_uris: ["file:///etc/passwd"] }, "invalid_redirect_uri"],
    ["a program of the system", { redirect_uris: ["ms-msdt:/id"] }, "invalid_redirect_uri"],
    ["http elsewhere", { redirect_uris: ["http://a.example/cb"] }, "invalid_redirect_uri"],
    ["a fragment", { redirect_uris: ["https://a.example/cb#x"] }, "invalid_redirect_uri"],
    ["a password", { redirect_uris: ["https://u:p@a.example/cb"] }, "invalid_redirect_uri"],
    ["a line break", { redirect_uris: ["https://a.example/\ncb"] }, "invalid_redirect_uri"],
    [
      "a name that is no text",
      { redirect_uris: ["https://a.example/"], client_name: {} },
      "invalid_client_metadata",
    ],
    [
      "another grant",
      { redirect_uris: ["https://a.example/"], grant_types: ["client_credentials"] },
      "invalid_client_metadata",
    ],
  ])("refuses %s", async (_, metadata, error) => {
    expect(outcomeOf(await register(api.url, metadata))).toBe(`400 ${error}`);
  });

  it("takes sites, programs of the machine and apps, and answers without a secret", async () => {
    const redirect_uris = [
      "https://claude.ai/api/mcp/auth_callback",
      "http://localhost:33418/",
      "http://[::1]/cb",
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "com.example.app:/oauth",
    ];
    const metadata = {
      client_name: "A\u202eB\n C",
      redirect_uris,
      token_endpoint_auth_method: "client_secret_basic",
    };
    const { status, body } = await register(api.url, metadata);
    expect(status).toBe(201);
    expect(body).toEqual({
      client_id: expect.any(String),
      client_id_issued_at: expect.any(Number),
      client_name: "A B C",
      redirect_uris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
  });

  it("forgets the oldest clients that nobody allowed, beyond a thousand", async () => {
    const { clientId } = await connected();
    const unused = await aClient();
    await api.sql`update oauth_clients set created_at = '2000-01-01' where id in (${clientId}, ${unused})`;
    await api.sql`
      insert into oauth_clients (id, name, redirect_uris, created_at)
      select gen_random_uuid(), 'many', '{http://127.0.0.1/}', '2001-01-01' from generate_series(1, 1000)
    `;
    await aClient();
    const left = await api.sql`select id from oauth_clients where id in (${clientId}, ${unused})`;
    expect(left.map(({ id }) => id)).toEqual([clientId]);
    const counted = await api.sql<{ n: number }[]>`
      select count(*)::integer as n from oauth_clients c
      where not exists (select from assistants where client_id = c.id::text)
    `;
    expect(counted[0]?.n).toBe(1_000);
    await api.sql`delete from oauth_clients where name = 'many'`;
  });
});
