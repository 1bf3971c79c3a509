import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { outcomeOf, type RawAnswer } from "../support/service.ts";

let api: ApiService;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

const codeOf = (url: string): string => {
  expect(url.startsWith(`${api.url}/#code=`)).toBe(true);
  return url.slice(url.indexOf("=") + 1);
};

const link = async (token = api.token) =>
  codeOf((await api.make("/api/session/links", undefined, { token })).url);

const use = (code: string, headers: Record<string, string> = {}) =>
  api.post("/api/session/code", { code }, { token: null, headers });

const cookieOf = (answer: RawAnswer) => answer.headers.get("set-cookie")!.split(";")[0]!;

const who = async (cookie: string) => api.get("/api/session", { token: null, headers: { cookie } });

describe("A one-time link", () => {
  it("signs in the first that opens it, as its creator", async () => {
    const user = await api.user(null);
    const code = await link(user.token);
    // The link's code has 256 bits.
    expect(Buffer.from(code, "base64url")).toHaveLength(32);
    const answer = await use(code);
    expect(outcomeOf(answer)).toBe("201");
    expect(Object.keys(answer.body).sort()).toEqual(["csrfToken", "expiresAt"]);
    const { body } = await who(cookieOf(answer));
    expect(body).toMatchObject({ userId: user.id, csrfToken: answer.body.csrfToken });
  });

  it("is refused the second time, which is logged; the first session continues", async () => {
    const code = await link();
    const cookie = cookieOf(await use(code));
    expect(outcomeOf(await use(code))).toBe("401 sign_in_code_used");
    expect(outcomeOf(await use(code))).toBe("401 sign_in_code_used");
    expect(outcomeOf(await who(cookie))).toBe("200");
    const [reusedCode] = await api.sql`select reuses, last_reuse_at from sign_in_codes where reuses > 0`;
    expect(reusedCode).toMatchObject({ reuses: 2, last_reuse_at: expect.any(Date) });
    expect((await who(cookie)).body.linkReusedAt).toBe(reusedCode!.last_reuse_at.toISOString());
    const { token } = await api.user(null);
    expect((await api.get("/api/session", { token })).body.linkReusedAt).toBeNull();
  });

  it("works once even if two open it at the same moment", async () => {
    const code = await link();
    const answers = await Promise.all(Array.from({ length: 6 }, () => use(code)));
    expect(answers.map(outcomeOf).sort()).toEqual(["201", ...Array(5).fill("401 sign_in_code_used")]);
  });

  it("works for two minutes, and never if it was not created", async () => {
    const before = Date.now();
    const { url, expiresAt } = await api.make("/api/session/links");
    expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + 120_000);
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 120_000);
    await api.sql`update sign_in_codes set expires_at = now() where used_at is null`;
    expect(outcomeOf(await use(codeOf(url)))).toBe("401 sign_in_code_not_valid");
    expect(outcomeOf(await use("x".repeat(43)))).toBe("401 sign_in_code_not_valid");
  });

  it("is stored only as a hash", async () => {
    const code = await link();
    const [row] =
      await api.sql`select to_jsonb(c)::text as kept from sign_in_codes c order by id desc limit 1`;
    expect(row!.kept).not.toContain(code);
  });

  it("replaces the earlier session of the browser", async () => {
    const stale = cookieOf(await api.post("/api/session")).replace(/=.*/, "=ses_gone");
    expect(outcomeOf(await use(await link(), { cookie: stale }))).toBe("201");
    expect(
      outcomeOf(await api.post("/api/session/code", { code: await link() }, { token: "nonsense" })),
    ).toBe("201");
  });

  it("is not accepted from a page of another site", async () => {
    expect(outcomeOf(await use(await link(), { origin: "https://evil.example" }))).toBe(
      "403 origin_not_allowed",
    );
  });

  it("begins a session that ends with the token of its creator", async () => {
    const user = await api.user(null);
    const [token] = (await api.get(`/api/board-tokens?userId=${user.id}`)).body;
    const cookie = cookieOf(await use(await link(user.token)));
    expect(outcomeOf(await who(cookie))).toBe("200");
    await api.delete(`/api/board-tokens/${token.id}`);
    expect(outcomeOf(await who(cookie))).toBe("401 unauthenticated");
  });

  it("ends with its user", async () => {
    const user = await api.user(null);
    const code = await link(user.token);
    await api.patch(`/api/board-users/${user.id}`, { disabled: true });
    expect(outcomeOf(await use(code))).toBe("401 sign_in_code_not_valid");
    await api.patch(`/api/board-users/${user.id}`, { disabled: false });
    expect(outcomeOf(await use(code))).toBe("401 sign_in_code_not_valid");
  });
});

describe("An invitation", () => {
  it("signs its user in within a day, and revokes the one before it", async () => {
    const user = await api.user(null);
    const invite = () => api.make(`/api/board-users/${user.id}/invitations`);
    const first = await invite();
    const second = await invite();
    expect(Date.parse(second.expiresAt) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    expect(outcomeOf(await use(codeOf(first.url)))).toBe("401 sign_in_code_not_valid");
    expect((await who(cookieOf(await use(codeOf(second.url))))).body.userId).toBe(user.id);
  });

  it("is created by an admin, for an existing user", async () => {
    const user = await api.user(null);
    const path = `/api/board-users/${user.id}/invitations`;
    expect(outcomeOf(await api.post(path, undefined, { token: user.token }))).toBe("403 forbidden");
    await api.patch(`/api/board-users/${user.id}`, { disabled: true });
    expect(outcomeOf(await api.post(path))).toBe("404 user_not_found");
  });
});

describe("A stolen cookie", () => {
  it("is worthless after its owner has signed out", async () => {
    const answer = await use(await link());
    const cookie = cookieOf(answer);
    const headers = { cookie, "x-csrf-token": answer.body.csrfToken };
    expect(outcomeOf(await api.delete("/api/session", { token: null, headers }))).toBe("200");
    expect(outcomeOf(await who(cookie))).toBe("401 unauthenticated");
    expect(outcomeOf(await api.post("/api/companies", { name: "C" }, { token: null, headers }))).toBe(
      "401 unauthenticated",
    );
  });
});
