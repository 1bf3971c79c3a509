import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mostGuesses } from "../../hosts/http/guesses.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { outcomeOf } from "../support/service.ts";

let api: ApiService;
let companyId: string;
beforeAll(async () => {
  // As behind a proxy, which says where requests come from.
  api = await startApi({ env: { SERVICE_PUBLIC_URL: "https://board.example" } });
  companyId = (await api.company()).id;
});
afterAll(() => api?.stop());

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0";
const from = (address: string, userAgent = firefox) => ({
  "x-forwarded-for": address,
  "user-agent": userAgent,
});

const link = async (token: string): Promise<string> =>
  (await api.make("/api/session/links", undefined, { token })).url.split("#code=")[1];

const use = (code: string, headers: Record<string, string>) =>
  api.post("/api/session/code", { code }, { token: null, headers });

/** A browser that is signed in, with what its requests send. */
const browser = async (token: string, headers: Record<string, string>) => {
  const answer = await use(await link(token), headers);
  expect(outcomeOf(answer)).toBe("201");
  const cookie = answer.headers.get("set-cookie")!.split(";")[0]!;
  return { token: null, headers: { ...headers, cookie, "x-csrf-token": answer.body.csrfToken } };
};

describe("A web session", () => {
  it("shows its browser, and the address of its last use", async () => {
    const { token } = await api.user(companyId, "viewer");
    const phone = await browser(token, from("198.51.100.7"));
    const [own] = (await api.get("/api/sessions", phone)).body;
    expect(own).toMatchObject({ device: "Firefox on Linux", address: "198.51.100.7", current: true });
    await api.sql`update board_tokens set last_used_at = now() - interval '2 minutes' where id = ${own.id}`;
    await api.get("/api/session", { ...phone, headers: { ...phone.headers, ...from("203.0.113.9") } });
    await expect
      .poll(async () => (await api.get("/api/sessions", phone)).body[0].address)
      .toBe("203.0.113.9");
  });

  it("believes a proxy about the address, and not what a client has put before it", async () => {
    const { token } = await api.user(companyId, "viewer");
    const there = await browser(token, from("10.9.9.9, 198.51.100.8"));
    expect((await api.get("/api/sessions", there)).body[0].address).toBe("198.51.100.8");
    const garbled = await browser(token, from("198.51.100.8, <b>"));
    expect((await api.get("/api/sessions", garbled)).body[0].address).toMatch(/^127\.|^::1/);
  });

  it("is ended by its person alone", async () => {
    const [user, other] = [await api.user(companyId, "viewer"), await api.user(companyId, "owner")];
    const here = await browser(user.token, from("198.51.100.7"));
    const there = await browser(user.token, from("198.51.100.8"));
    const listed = (await api.get("/api/sessions", here)).body;
    const { id } = listed.find(({ current }: { current: boolean }) => !current);
    for (const token of [other.token, api.token])
      expect(outcomeOf(await api.delete(`/api/sessions/${id}`, { token }))).toBe("404 session_not_found");
    expect(outcomeOf(await api.delete(`/api/sessions/${randomUUID()}`, here))).toBe("404 session_not_found");
    const forged = { ...here, headers: { ...here.headers, "x-csrf-token": "" } };
    expect(outcomeOf(await api.delete(`/api/sessions/${id}`, forged))).toBe("403 csrf_token_invalid");
    expect(outcomeOf(await api.delete(`/api/sessions/${id}`, here))).toBe("200");
    expect(outcomeOf(await api.get("/api/session", there))).toBe("401 unauthenticated");
    expect(outcomeOf(await api.delete(`/api/sessions/${id}`, here))).toBe("404 session_not_found");
    // A token is no session.
    const [token] = (await api.get("/api/board-tokens", user)).body;
    expect(outcomeOf(await api.delete(`/api/sessions/${token.id}`, here))).toBe("404 session_not_found");
  });

  it("ends with all others of its person but the calling one, and so do links that nobody has opened", async () => {
    const [user, other] = [await api.user(companyId, "viewer"), await api.user(companyId, "viewer")];
    const [here, there, foreign] = [
      await browser(user.token, from("198.51.100.7")),
      await browser(user.token, from("198.51.100.8")),
      await browser(other.token, from("198.51.100.9")),
    ];
    const open = await link(user.token);
    expect((await api.delete("/api/sessions", here)).body).toEqual({ ended: 1 });
    expect(outcomeOf(await api.get("/api/session", there))).toBe("401 unauthenticated");
    expect(outcomeOf(await use(open, from("198.51.100.8")))).toBe("401 sign_in_code_not_valid");
    for (const still of [here, foreign, user])
      expect(outcomeOf(await api.get("/api/session", still))).toBe("200");
    expect((await api.delete("/api/sessions", user)).body).toEqual({ ended: 1 });
    expect(outcomeOf(await api.get("/api/session", here))).toBe("401 unauthenticated");
  });
});

describe("Sign-ins", () => {
  it("are listed for their person, with refused ones and new devices", async () => {
    const { token } = await api.user(companyId, "viewer");
    const code = await link(token);
    await use(code, from("198.51.100.7"));
    await browser(token, from("198.51.100.7"));
    await browser(token, from("203.0.113.66", "curl/8.5.0"));
    await use(code, from("203.0.113.66", "curl/8.5.0"));
    await use(code, from("203.0.113.66", "curl/8.5.0"));
    const listed = (await api.get("/api/session/sign-ins", { token })).body;
    const from7 = { method: "link", refusal: null, device: "Firefox on Linux", address: "198.51.100.7" };
    const from66 = { method: "link", refusal: null, device: "curl", address: "203.0.113.66" };
    expect(listed).toMatchObject([
      // Only one in a minute.
      { ...from66, refusal: "sign_in_code_used", newDevice: false },
      { ...from66, newDevice: true },
      { ...from7, newDevice: false },
      { ...from7, newDevice: false },
    ]);
  });

  it("are in the activity of each company of the person, without the address, and in no other", async () => {
    const elsewhere = (await api.company()).id;
    const owner = await api.user(companyId, "owner");
    const user = await api.user(companyId, "viewer");
    const code = await link(user.token);
    await use(code, from("198.51.100.7"));
    await use(code, from("198.51.100.7"));
    const activity = async (id: string, token: string) =>
      (await api.get(`/api/companies/${id}/activity?entityType=member&entityId=${user.id}`, { token })).body;
    const entries = await activity(companyId, owner.token);
    expect(entries.slice(0, 2)).toMatchObject([
      {
        action: "member.sign_in_refused",
        actorType: "system",
        details: { method: "link", refusal: "sign_in_code_used" },
      },
      { action: "member.signed_in", actorType: "board", details: { method: "link", newDevice: false } },
    ]);
    expect(JSON.stringify(entries)).not.toContain("198.51.100.7");
    expect(await activity(elsewhere, api.token)).toEqual([]);
  });

  it("name no person where a link never existed", async () => {
    const before = await api.sql`select count(*)::int as count from sign_ins`;
    expect(outcomeOf(await use("x".repeat(43), from("198.51.100.99")))).toBe("401 sign_in_code_not_valid");
    expect(await api.sql`select count(*)::int as count from sign_ins`).toEqual(before);
  });
});

describe("Guessing", () => {
  const guess = (token: string | null, headers: Record<string, string>) =>
    api.get("/api/companies", { token, headers });

  it("is limited by address, and locks nobody out: neither there nor elsewhere", async () => {
    const user = await api.user(companyId, "viewer");
    const shared = from("192.0.2.50");
    const signedIn = await browser(user.token, shared);
    expect((await guess(user.token, shared)).status).toBe(200);
    expect(outcomeOf(await api.get("/api/session", signedIn))).toBe("200");
    const { token: unused } = await api.user(companyId, "viewer");
    const code = await link(user.token);
    for (let n = 0; n < mostGuesses; n += 1)
      expect((await guess(`brd_${n}`, shared)).status, String(n)).toBe(401);
    const refused = await guess("brd_x", shared);
    expect(outcomeOf(refused)).toBe("429 too_many_guesses");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // Neither a token nor a link nor a cookie can be guessed on, valid or not.
    expect(outcomeOf(await guess(unused, shared))).toBe("429 too_many_guesses");
    expect(outcomeOf(await use(code, shared))).toBe("429 too_many_guesses");
    const [name] = signedIn.headers.cookie.split("=");
    expect(outcomeOf(await guess(null, { ...shared, cookie: `${name}=ses_guessed` }))).toBe(
      "429 too_many_guesses",
    );
    // The person who was there before continues, as does everybody elsewhere.
    expect(outcomeOf(await api.get("/api/session", signedIn))).toBe("200");
    expect((await guess(user.token, shared)).status).toBe(200);
    expect((await guess(unused, from("192.0.2.51"))).status).toBe(200);
    expect(outcomeOf(await use(code, from("192.0.2.51")))).toBe("201");
    // Calls without a credential are still answered.
    expect((await api.get("/api/health", { token: null, headers: shared })).status).toBe(200);
  });

  it("of cookies and links counts, too", async () => {
    const { headers } = await browser(api.token, from("192.0.2.60"));
    const [name] = headers.cookie.split("=");
    const there = from("192.0.2.61");
    for (let n = 0; n < mostGuesses; n += 1) {
      const answer =
        n % 2 === 0
          ? await guess(null, { ...there, cookie: `${name}=ses_${n}` })
          : await use(String(n).padStart(43, "x"), there);
      expect(answer.status, String(n)).toBe(401);
    }
    expect(outcomeOf(await use("x".repeat(43), there))).toBe("429 too_many_guesses");
  });

  it("on the machine itself has no limit, because agents share its address", async () => {
    for (let n = 0; n <= mostGuesses; n += 1) expect((await guess(`brd_${n}`, {})).status).toBe(401);
  });
});
