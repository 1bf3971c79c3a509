import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { api as endpoints } from "../../hosts/api/index.ts";
import { mostGuesses } from "../../hosts/http/guesses.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { type Authenticator, authenticator, type Deviations } from "../support/authenticator.ts";
import { outcomeOf, type RawAnswer } from "../support/service.ts";

const origin = "https://board.example";

let api: ApiService;
let companyId: string;
beforeAll(async () => {
  api = await startApi({ env: { SERVICE_PUBLIC_URL: origin } });
  companyId = (await api.company()).id;
});
afterAll(() => api?.stop());

type Browser = { token: null; headers: Record<string, string> };

const browserOf = (answer: RawAnswer): Browser => {
  expect(outcomeOf(answer)).toBe("201");
  const cookie = answer.headers.get("set-cookie")!.split(";")[0]!;
  return { token: null, headers: { cookie, "x-csrf-token": answer.body.csrfToken } };
};

/** Signs a person in by a one-time link. */
const byLink = async (token: string): Promise<Browser> => {
  const { url } = await api.make("/api/session/links", undefined, { token });
  return browserOf(await api.post("/api/session/code", { code: url.split("#code=")[1] }, { token: null }));
};

const register = async (browser: Browser, key: Authenticator, differs: Deviations = {}) => {
  const { flow, options } = (await api.post("/api/passkeys/options", undefined, browser)).body;
  return api.post("/api/passkeys", { name: "Phone", flow, response: key.create(options, differs) }, browser);
};

interface Begun {
  readonly flow: string;
  readonly options: { readonly challenge: string; readonly rpId: string };
}

const begin = async (): Promise<Begun> =>
  (await api.post("/api/session/passkey/options", undefined, { token: null })).body;

const finish = (flow: string, response: unknown, headers: Record<string, string> = {}) =>
  api.post("/api/session/passkey/verify", { flow, response }, { token: null, headers });

const signIn = async (key: Authenticator, differs: Parameters<Authenticator["get"]>[1] = {}) => {
  const { flow, options } = await begin();
  return finish(flow, key.get(options, differs));
};

const verify = async (browser: Browser, key: Authenticator) => {
  const { flow, options } = await begin();
  return api.post("/api/session/verification", { flow, response: key.get(options) }, browser);
};

/** A member with a passkey, and a browser that a link has signed in: it has not verified them yet. */
const withPasskey = async (role = "viewer") => {
  const user = await api.user(companyId, role);
  const [browser, key] = [await byLink(user.token), authenticator(origin)];
  expect(outcomeOf(await register(browser, key))).toBe("201");
  return { userId: user.id, token: user.token, browser, key };
};

const later = async <A>(minutes: number, work: () => Promise<A>): Promise<A> => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60_000 });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
};

describe("A passkey", () => {
  it("signs in its person, who has named it and sees its last use", async () => {
    expect((await api.get("/api/session/methods", { token: null })).body.passkeys).toEqual({ origin });
    const { browser, key, userId } = await withPasskey();
    expect((await api.get("/api/passkeys", browser)).body).toMatchObject([
      { name: "Phone", lastUsedAt: null },
    ]);
    const here = browserOf(await signIn(key));
    expect((await api.get("/api/session", here)).body.userId).toBe(userId);
    expect((await api.get("/api/passkeys", here)).body[0].lastUsedAt).not.toBeNull();
    expect((await api.get("/api/session/sign-ins", here)).body[0]).toMatchObject({
      method: "passkey",
      refusal: null,
    });
    const entries = (await api.get(`/api/companies/${companyId}/activity`)).body;
    const own = entries.filter(({ entityId }: { entityId: string }) => entityId === userId);
    expect(own.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(["member.passkey_added", "member.signed_in"]),
    );
  });

  it("is one of several, and a person sees, uses and removes only their own", async () => {
    const [mine, theirs] = [await withPasskey(), await withPasskey()];
    const second = authenticator(origin);
    expect(outcomeOf(await verify(mine.browser, mine.key))).toBe("200");
    expect(outcomeOf(await register(mine.browser, second))).toBe("201");
    const own = (await api.get("/api/passkeys", mine.browser)).body;
    expect(own).toHaveLength(2);
    const ofSecond = browserOf(await signIn(second));
    expect(outcomeOf(await verify(theirs.browser, mine.key))).toBe("422 passkey_not_accepted");
    expect(outcomeOf(await verify(theirs.browser, theirs.key))).toBe("200");
    expect(outcomeOf(await api.delete(`/api/passkeys/${own[1].id}`, theirs.browser))).toBe(
      "404 passkey_not_found",
    );
    expect(outcomeOf(await api.delete(`/api/passkeys/${randomUUID()}`, mine.browser))).toBe(
      "404 passkey_not_found",
    );
    expect(outcomeOf(await api.delete(`/api/passkeys/${own[1].id}`, mine.browser))).toBe("200");
    // Signs in nobody any longer, nor does the session go on that began with it.
    expect(outcomeOf(await signIn(second))).toBe("401 passkey_not_valid");
    expect(outcomeOf(await api.get("/api/session", ofSecond))).toBe("401 unauthenticated");
    expect(outcomeOf(await signIn(mine.key))).toBe("201");
  });

  it("is registered in a web session alone, once, and by the session in which that began", async () => {
    const { token, browser, key } = await withPasskey();
    expect(outcomeOf(await api.post("/api/passkeys/options", undefined, { token }))).toBe(
      "403 passkey_needs_session",
    );
    expect(outcomeOf(await verify(browser, key))).toBe("200");
    expect(outcomeOf(await register(browser, key))).toBe("409 passkey_registered");
    const fresh = await api.user(companyId, "viewer");
    const [here, there] = [await byLink(fresh.token), await byLink(fresh.token)];
    const { flow, options } = (await api.post("/api/passkeys/options", undefined, here)).body;
    const made = { name: "Laptop", flow, response: authenticator(origin).create(options) };
    expect(outcomeOf(await api.post("/api/passkeys", made, there))).toBe("422 passkey_not_accepted");
    expect(outcomeOf(await api.post("/api/passkeys", made, { token: fresh.token }))).toBe(
      "403 passkey_needs_session",
    );
    const late = await later(6, () => api.post("/api/passkeys", made, here));
    expect(outcomeOf(late)).toBe("422 passkey_not_accepted");
    expect(outcomeOf(await api.post("/api/passkeys", made, here))).toBe("201");
  });

  it.each<[string, Deviations]>([
    ["another origin", { origin: "https://board.example.evil.example" }],
    ["another relying party", { rpId: "evil.example" }],
    ["no verification of the user", { userVerified: false }],
    ["another challenge", { challenge: Buffer.alloc(32, 7).toString("base64url") }],
    ["an answer to another request", { type: "webauthn.get" }],
  ])("is not registered with %s", async (_, differs) => {
    const { token } = await api.user(companyId, "viewer");
    const browser = await byLink(token);
    expect(outcomeOf(await register(browser, authenticator(origin), differs))).toBe(
      "422 passkey_not_accepted",
    );
    expect((await api.get("/api/passkeys", browser)).body).toEqual([]);
  });

  it.each<[string, Deviations]>([
    ["another origin", { origin: "https://evil.example" }],
    ["another relying party", { rpId: "evil.example" }],
    ["no verification of the user", { userVerified: false }],
    ["another challenge", { challenge: Buffer.alloc(32, 7).toString("base64url") }],
    ["an answer to another request", { type: "webauthn.create" }],
  ])("signs nobody in with %s, which its person sees", async (_, differs) => {
    const { browser, key } = await withPasskey();
    expect(outcomeOf(await signIn(key, differs))).toBe("401 passkey_not_valid");
    expect((await api.get("/api/session/sign-ins", browser)).body[0]).toMatchObject({
      method: "passkey",
      refusal: "passkey_not_valid",
    });
  });

  it("is registered once for an Idempotency-Key, also where the server died before it stored its answer", async () => {
    const user = await api.user(companyId, "viewer");
    const [browser, key] = [await byLink(user.token), authenticator(origin)];
    const { flow, options } = (await api.post("/api/passkeys/options", undefined, browser)).body;
    const body = { name: "Phone", flow, response: key.create(options, {}) };
    const headers = { ...browser.headers, "idempotency-key": randomUUID() };
    const send = () => api.post("/api/passkeys", body, { ...browser, headers });
    const first = await send();
    // From now on it is theirs, and registering asks for it.
    expect(outcomeOf(await send())).toBe("403 verification_required");
    expect(outcomeOf(await verify(browser, key))).toBe("200");
    expect(await send()).toMatchObject({ status: 201, body: { id: first.body.id } });
    await api.sql`update idempotency_keys set status = null, lease_until = now() - interval '1 minute'`;
    expect(await send()).toMatchObject({ status: 201, body: { id: first.body.id } });
    expect((await api.get("/api/passkeys", browser)).body).toHaveLength(1);
  });

  it("signs nobody in in the name of another person's, or as one that nobody registered", async () => {
    const [mine, theirs] = [await withPasskey(), await withPasskey()];
    expect(outcomeOf(await signIn(theirs.key, { as: mine.key.id }))).toBe("401 passkey_not_valid");
    expect(outcomeOf(await signIn(authenticator(origin)))).toBe("401 passkey_not_valid");
  });

  it("answers a challenge once, and before it expires", async () => {
    const { key } = await withPasskey();
    const { flow, options } = await begin();
    const answer = key.get(options);
    expect(outcomeOf(await later(6, () => finish(flow, answer)))).toBe("401 passkey_not_valid");
    expect(outcomeOf(await finish("forged", answer))).toBe("401 passkey_not_valid");
    const other = await begin();
    expect(outcomeOf(await finish(other.flow, answer))).toBe("401 passkey_not_valid");
    const both = await Promise.all([finish(flow, answer), finish(flow, answer)]);
    expect(both.map(outcomeOf).sort()).toEqual(["201", "401 passkey_not_valid"]);
    expect(outcomeOf(await finish(flow, answer))).toBe("401 passkey_not_valid");
  });

  it("is refused where its counter has not risen, as that of a copy", async () => {
    const { key } = await withPasskey();
    expect(outcomeOf(await signIn(key, { counter: 5 }))).toBe("201");
    expect(outcomeOf(await signIn(key, { counter: 5 }))).toBe("401 passkey_not_valid");
    expect(outcomeOf(await signIn(key, { counter: 0 }))).toBe("401 passkey_not_valid");
    expect(outcomeOf(await signIn(key, { counter: 6 }))).toBe("201");
  });

  it("signs in no disabled person", async () => {
    const { key, userId } = await withPasskey();
    await api.patch(`/api/board-users/${userId}`, { disabled: true });
    expect(outcomeOf(await signIn(key))).toBe("401 passkey_not_valid");
  });

  it("is guessed as often as other credentials", async () => {
    const from = { "x-forwarded-for": "198.51.100.44" };
    const { flow, options } = await begin();
    const answer = authenticator(origin).get(options);
    for (let n = 0; n < mostGuesses; n++)
      expect(outcomeOf(await finish(flow, answer, from))).toBe("401 passkey_not_valid");
    expect(outcomeOf(await finish(flow, answer, from))).toBe("429 too_many_guesses");
  });

  it.each([
    ["a response without a signature", { id: "AA", type: "public-key", response: {} }],
    ["one that is not base64url", { id: "<b>", type: "public-key", response: {} }],
    ["none", undefined],
  ])("refuses %s by its field", async (_, response) => {
    const refused = await finish("flow", response);
    expect(outcomeOf(refused)).toBe("400 validation_error");
    expect(JSON.stringify(refused.body.details)).toContain("response");
  });
});

describe("What can't be undone", () => {
  const aSecret = async () =>
    (await api.make(`/api/companies/${companyId}/secrets`, { name: randomUUID(), value: "v" })).id as string;

  it("needs a passkey of the last five minutes in a session, and nothing more of a token", async () => {
    const { browser, key, token } = await withPasskey("owner");
    const [first, second, third] = [await aSecret(), await aSecret(), await aSecret()];
    expect(outcomeOf(await api.delete(`/api/secrets/${first}`, browser))).toBe("403 verification_required");
    expect(outcomeOf(await verify(browser, key))).toBe("200");
    expect(outcomeOf(await api.delete(`/api/secrets/${first}`, browser))).toBe("200");
    const late = await later(6, () => api.delete(`/api/secrets/${second}`, browser));
    expect(outcomeOf(late)).toBe("403 verification_required");
    expect(outcomeOf(await api.delete(`/api/secrets/${second}`, { token }))).toBe("200");
    // A sign-in with a passkey verifies, too.
    const here = browserOf(await signIn(key));
    expect(outcomeOf(await api.delete(`/api/secrets/${third}`, here))).toBe("200");
  });

  it("is unchanged for a person without a passkey", async () => {
    const { token } = await api.user(companyId, "owner");
    const browser = await byLink(token);
    expect(outcomeOf(await api.delete(`/api/secrets/${await aSecret()}`, browser))).toBe("200");
  });

  it("needs it at each endpoint that says so, and at those that would let somebody else in", () => {
    const all = Object.entries(endpoints).flatMap(([group, of]) =>
      Object.entries(of).map(([name, each]) => ({ name: `${group}.${name}`, each })),
    );
    const isFinal = /annot be undone|irreversible|permanently/i;
    const expected = all
      .filter(({ each }) => isFinal.test(`${each.summary} ${each.description}`))
      .map(({ name }) => name);
    const asked = all.filter(({ each }) => each.access.verified).map(({ name }) => name);
    const others = [
      "agents.createKey",
      "assistants.allow",
      "members.invite",
      "members.set",
      "passkeys.begin",
      "passkeys.create",
      "passkeys.delete",
      "session.createLink",
      "session.removeChat",
      "session.removeEmail",
      "session.setChat",
      "session.setEmail",
      "tokens.create",
      "users.create",
      "users.invite",
      "users.update",
    ];
    expect(asked.sort()).toEqual([...expected, "secrets.rotateMasterKey", ...others].sort());
    expect(asked).toContain("agents.terminate");
  });

  it("is not done by a new passkey, token, admin or invitation of somebody at an open browser", async () => {
    const { browser, key, userId } = await withPasskey("owner");
    await api.patch(`/api/board-users/${userId}`, { admin: true });
    const other = await api.user(companyId, "viewer");
    const [{ id }] = (await api.get("/api/passkeys", browser)).body;
    for (const attempt of [
      () => api.post("/api/passkeys/options", undefined, browser),
      () => api.delete(`/api/passkeys/${id}`, browser),
      () => api.post("/api/board-tokens", { name: "t" }, browser),
      () => api.post("/api/session/links", undefined, browser),
      () => api.post("/api/board-users", { name: "Mallory", admin: true }, browser),
      () => api.patch(`/api/board-users/${other.id}`, { admin: true }, browser),
      () => api.post(`/api/board-users/${other.id}/invitations`, undefined, browser),
      () => api.put(`/api/companies/${companyId}/members/${other.id}`, { role: "owner" }, browser),
      () =>
        api.post(`/api/companies/${companyId}/members/invitations`, { name: "M", role: "owner" }, browser),
    ])
      expect(outcomeOf(await attempt())).toBe("403 verification_required");
    expect(outcomeOf(await verify(browser, key))).toBe("200");
    expect(outcomeOf(await api.post("/api/board-tokens", { name: "t" }, browser))).toBe("201");
    expect(outcomeOf(await api.post("/api/board-users", { name: "Admin", admin: true }, browser))).toBe(
      "201",
    );
  });
});

describe("A service whose people have no board tokens", () => {
  let strict: ApiService;
  beforeAll(async () => {
    strict = await startApi({ env: { SERVICE_BOARD_TOKENS: "admins" } });
  });
  afterAll(() => strict?.stop());

  it("refuses new ones, those that they have, and sign-ins with one; admins' stay for programs", async () => {
    const person = await strict.make("/api/board-users", { name: "P" });
    const refused = "403 board_tokens_not_allowed";
    expect(outcomeOf(await strict.post("/api/board-tokens", { name: "t", userId: person.id }))).toBe(refused);
    expect(outcomeOf(await strict.post("/api/session"))).toBe(refused);
    expect((await strict.get("/api/session/methods", { token: null })).body.boardToken).toBe(false);
    expect(outcomeOf(await strict.get("/api/session"))).toBe("200");
    // One of the time before the setting.
    const admin = await strict.make("/api/board-users", { name: "A", admin: true });
    const { token } = await strict.make("/api/board-tokens", { name: "t", userId: admin.id });
    expect(outcomeOf(await strict.get("/api/session", { token }))).toBe("200");
    await strict.patch(`/api/board-users/${admin.id}`, { admin: false });
    expect(outcomeOf(await strict.get("/api/session", { token }))).toBe(refused);
  });
});
