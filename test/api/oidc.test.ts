import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { type Account, oidcClient, startProvider, type TestProvider } from "../support/identity-provider.ts";
import { outcomeOf, type RawAnswer } from "../support/service.ts";

const publicUrl = "https://board.example";
const callbackOf = (provider: string) => `${publicUrl}/sign-in/oidc/${provider}`;

let own: TestProvider;
let other: TestProvider;
let api: ApiService;
beforeAll(async () => {
  [own, other] = (await Promise.all(
    ["default", "other"].map((name) => startProvider(() => [callbackOf(name)])),
  )) as [TestProvider, TestProvider];
  api = await startApi({
    // It reads the groups again, too.
    role: "all",
    env: {
      SERVICE_PUBLIC_URL: publicUrl,
      SERVICE_OIDC_ISSUER: own.issuer,
      SERVICE_OIDC_CLIENT_ID: oidcClient.id,
      SERVICE_OIDC_CLIENT_SECRET: oidcClient.secret,
      SERVICE_OIDC_ROLES: "ops=SEA:operator,leads=*:owner,readers=SEA:viewer",
      SERVICE_OIDC_OTHER_ISSUER: other.issuer,
      SERVICE_OIDC_OTHER_CLIENT_ID: oidcClient.id,
      SERVICE_OIDC_OTHER_CLIENT_SECRET: oidcClient.secret,
    },
  });
});
afterAll(() => Promise.all([api?.stop(), own?.stop(), other?.stop()]));
beforeEach(() => {
  own.forge = null;
  own.isDown = false;
  own.refusal = null;
});

const begin = async (provider = "default"): Promise<{ url: string; flow: string }> =>
  (await api.post("/api/session/oidc", { provider }, { token: null })).body;

const finish = (flow: string, answer: URL, provider = "default") =>
  api.post(
    "/api/session/oidc/callback",
    { provider, flow, response: answer.search.slice(1) },
    { token: null },
  );

const signIn = async (account: Account): Promise<RawAnswer> => {
  own.account = account;
  const { url, flow } = await begin();
  return finish(flow, await own.signIn(url));
};

const who = async (answer: RawAnswer) => {
  const cookie = answer.headers.get("set-cookie")!.split(";")[0]!;
  return (await api.get("/api/session", { token: null, headers: { cookie } })).body;
};

let serial = 0;

/** A new member of a new company who is invited under an address. */
const invited = async (role = "viewer") => {
  const { id: companyId } = await api.company();
  const email = `person-${++serial}@example.com`;
  const made = await api.make(`/api/companies/${companyId}/members/invitations`, { name: "P", role, email });
  return { companyId, userId: made.id as string, email, code: made.url.split("#code=")[1] as string };
};

const verified = (email: string, more: Partial<Account> = {}): Account => ({
  sub: `sub of ${email}`,
  email,
  email_verified: true,
  ...more,
});

describe("Before sign-in", () => {
  it("the service names its providers, and nothing else of them", async () => {
    expect((await api.get("/api/session/methods", { token: null })).body).toEqual({
      boardToken: true,
      passkeys: { origin: publicUrl },
      providers: [
        { id: "default", name: "127.0.0.1" },
        { id: "other", name: "Other" },
      ],
    });
  });

  it("asks for a code with PKCE, state and nonce that differ each time", async () => {
    const asked = [new URL((await begin()).url), new URL((await begin()).url)];
    for (const name of ["state", "nonce", "code_challenge"]) {
      const values = asked.map(({ searchParams }) => searchParams.get(name));
      expect(values[0]).toMatch(/^[\w-]{43}$/);
      expect(values[0]).not.toBe(values[1]);
    }
    expect(asked[0]!.searchParams.get("response_type")).toBe("code");
    expect(asked[0]!.searchParams.get("code_challenge_method")).toBe("S256");
    expect(asked[0]!.searchParams.get("redirect_uri")).toBe(callbackOf("default"));
  });

  it("an unknown provider is refused", async () => {
    const answer = await api.post("/api/session/oidc", { provider: "none" }, { token: null });
    expect(outcomeOf(answer)).toBe("404 sign_in_provider_not_found");
  });
});

describe("Signing in at a provider", () => {
  it("recognises an invited person by a verified address, and then by the account", async () => {
    const person = await invited();
    const first = await signIn(verified(person.email.toUpperCase()));
    expect(outcomeOf(first)).toBe("201");
    expect(first.headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/);
    expect((await who(first)).userId).toBe(person.userId);
    // The invitation's link would let somebody else in.
    const link = await api.post("/api/session/code", { code: person.code }, { token: null });
    expect(outcomeOf(link)).toBe("401 sign_in_code_not_valid");
    const again = await signIn({ sub: `sub of ${person.email.toUpperCase()}`, email: "new@example.com" });
    expect((await who(again)).userId).toBe(person.userId);
  });

  it("sends notices to the address that the provider has verified, unless the person chooses another", async () => {
    const person = await invited();
    const emailOf = async (answer: RawAnswer) => {
      const cookie = answer.headers.get("set-cookie")!.split(";")[0]!;
      const headers = { cookie, "x-csrf-token": answer.body.csrfToken };
      const browser = { token: null, headers };
      return { browser, email: (await api.get("/api/session/email", browser)).body };
    };
    const account = verified(person.email);
    expect((await emailOf(await signIn(account))).email).toMatchObject({
      address: person.email,
      provider: "default",
      confirmedAt: expect.any(String),
    });
    // It follows the provider, and never an address that it has not verified.
    const moved = { ...account, email: "moved@example.com" };
    expect((await emailOf(await signIn({ ...moved, email_verified: false }))).email.address).toBe(
      person.email,
    );
    const { browser, email } = await emailOf(await signIn(moved));
    expect(email.address).toBe("moved@example.com");
    // An address that the person has removed stays removed.
    await api.delete("/api/session/email", browser);
    expect((await emailOf(await signIn(account))).email.address).toBeNull();
  });

  it.each([
    ["false", { email_verified: false }],
    ["missing", {}],
    ["a text", { email_verified: "true" as unknown as boolean }],
  ])("never links a person by an address whose verification is %s", async (_, claim) => {
    const person = await invited();
    const answer = await signIn({ sub: `unverified ${serial}`, email: person.email, ...claim });
    expect(outcomeOf(answer)).toBe("401 person_not_invited");
    expect(await api.sql`select from identities where user_id = ${person.userId}`).toEqual([]);
  });

  it("refuses an address that nobody or more than one person was invited under, and a second account", async () => {
    expect(outcomeOf(await signIn(verified("nobody@example.com")))).toBe("401 person_not_invited");
    const person = await invited();
    const { id: companyId } = await api.company();
    const second = { name: "Q", role: "owner", email: person.email };
    await api.make(`/api/companies/${companyId}/members/invitations`, second);
    expect(outcomeOf(await signIn(verified(person.email)))).toBe("401 person_not_invited");
    const alone = await invited();
    expect(outcomeOf(await signIn(verified(alone.email)))).toBe("201");
    expect(outcomeOf(await signIn(verified(alone.email, { sub: "another account" })))).toBe(
      "401 person_not_invited",
    );
  });

  it("refuses a person who is disabled, and tells them in their record", async () => {
    const person = await invited();
    await signIn(verified(person.email));
    await api.patch(`/api/board-users/${person.userId}`, { disabled: true });
    expect(outcomeOf(await signIn(verified(person.email)))).toBe("401 person_not_invited");
    const rows = await api.sql`
      select method, refusal from sign_ins where user_id = ${person.userId} order by id desc
    `;
    expect(rows[0]).toEqual({ method: "provider", refusal: "person_not_invited" });
  });

  it("ends at the service and at the provider", async () => {
    const person = await invited();
    const answer = await signIn(verified(person.email));
    const cookie = answer.headers.get("set-cookie")!.split(";")[0]!;
    const headers = { cookie, "x-csrf-token": answer.body.csrfToken };
    const { body } = await api.delete("/api/session", { token: null, headers });
    const url = new URL(body.signOutUrl);
    expect(url.origin).toBe(own.issuer);
    expect(url.searchParams.get("post_logout_redirect_uri")).toBe(`${publicUrl}/`);
    expect((await api.get("/api/session", { token: null, headers: { cookie } })).status).toBe(401);
  });
});

describe("An answer of a provider", () => {
  const past = Math.floor(Date.now() / 1_000) - 3_600;

  it.each([
    ["nonce", (claims: object) => ({ ...claims, nonce: "x".repeat(43) })],
    ["audience", (claims: object) => ({ ...claims, aud: "another-client" })],
    ["issuer", (claims: object) => ({ ...claims, iss: "https://elsewhere.example" })],
    ["time", (claims: object) => ({ ...claims, iat: past - 60, exp: past })],
  ])("is refused with the wrong %s in its ID token", async (_, forge) => {
    const person = await invited();
    own.forge = forge;
    expect(outcomeOf(await signIn(verified(person.email)))).toBe("401 sign_in_answer_not_valid");
    own.forge = (claims) => claims;
    expect(outcomeOf(await signIn(verified(person.email)))).toBe("201");
  });

  it.each([
    ["state", (answer: URL) => answer.searchParams.set("state", "x".repeat(43))],
    ["no state", (answer: URL) => answer.searchParams.delete("state")],
    ["issuer", (answer: URL) => answer.searchParams.set("iss", other.issuer)],
    ["no issuer, which the provider announces", (answer: URL) => answer.searchParams.delete("iss")],
    ["code", (answer: URL) => answer.searchParams.set("code", "guessed")],
    ["an error", (answer: URL) => answer.searchParams.set("error", "access_denied")],
  ])("is refused with the wrong %s", async (_, change) => {
    const person = await invited();
    own.account = verified(person.email);
    const { url, flow } = await begin();
    const answer = await own.signIn(url);
    change(answer);
    expect(outcomeOf(await finish(flow, answer))).toBe("401 sign_in_answer_not_valid");
  });

  it("works once, and for the browser that began it alone", async () => {
    const person = await invited();
    own.account = verified(person.email);
    const [mine, theirs] = [await begin(), await begin()];
    const answer = await own.signIn(mine.url);
    // Somebody is led to sign in with the attacker's answer.
    expect(outcomeOf(await finish(theirs.flow, answer))).toBe("401 sign_in_answer_not_valid");
    expect(outcomeOf(await finish("forged", answer))).toBe("401 sign_in_answer_not_valid");
    expect(outcomeOf(await finish(mine.flow, answer))).toBe("201");
    expect(outcomeOf(await finish(mine.flow, answer))).toBe("401 sign_in_answer_not_valid");
  });

  it.each([
    ["its code has expired", 2],
    ["its sign-in began too long ago", 11],
  ])("is refused when %s", async (_, minutes) => {
    const person = await invited();
    own.account = verified(person.email);
    const { url, flow } = await begin();
    const answer = await own.signIn(url);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60_000 });
    try {
      expect(outcomeOf(await finish(flow, answer))).toBe("401 sign_in_answer_not_valid");
    } finally {
      vi.useRealTimers();
    }
    expect(outcomeOf(await signIn(verified(person.email)))).toBe("201");
  });

  it("is not taken for that of another provider", async () => {
    const person = await invited();
    other.account = verified(person.email);
    const [mine, theirs] = [await begin(), await begin("other")];
    const answer = await other.signIn(theirs.url);
    // At the address of one, with the flow of the other; and with a state that fits.
    expect(outcomeOf(await finish(theirs.flow, answer))).toBe("401 sign_in_answer_not_valid");
    answer.searchParams.set("state", new URL(mine.url).searchParams.get("state")!);
    expect(outcomeOf(await finish(mine.flow, answer))).toBe("401 sign_in_answer_not_valid");
    answer.searchParams.set("iss", own.issuer);
    expect(outcomeOf(await finish(mine.flow, answer))).toBe("401 sign_in_answer_not_valid");
  });
});

describe("Groups", () => {
  it("give roles at sign-in and take away those that they gave, and no others", async () => {
    const person = await invited("viewer");
    const { id: sea } = await api.company("Sea");
    await api.sql`update companies set issue_prefix = 'SEA' where id = ${sea}`;
    const rolesAfter = async (groups?: readonly string[]) => {
      const answer = await signIn(verified(person.email, groups === undefined ? {} : { groups }));
      const { companies } = await who(answer);
      return Object.fromEntries(
        companies.map(({ companyId, role }: { companyId: string; role: string }) => [companyId, role]),
      );
    };
    const ownRole = { [person.companyId]: "viewer" };
    expect(await rolesAfter(["other"])).toEqual(ownRole);
    expect(await rolesAfter(["readers", "ops"])).toEqual({ ...ownRole, [sea]: "operator" });
    expect(await rolesAfter(["readers"])).toEqual({ ...ownRole, [sea]: "viewer" });
    const all = await rolesAfter(["leads"]);
    expect(all[sea]).toBe("owner");
    // A role that people have given is not a group's to change.
    expect(all[person.companyId]).toBe("viewer");
    expect(await rolesAfter()).toEqual(ownRole);
    await rolesAfter(["ops"]);
    await api.put(`/api/companies/${sea}/members/${person.userId}`, { role: "viewer" });
    expect(await rolesAfter([])).toEqual({ ...ownRole, [sea]: "viewer" });
  });

  describe("that change after a sign-in", () => {
    let sea: string;
    beforeAll(async () => {
      ({ id: sea } = await api.company("Sea of later"));
      await api.sql`update companies set issue_prefix = 'LTR' where id = ${sea}`;
    });
    const asLead = async () => {
      const person = await invited("viewer");
      const account = verified(person.email, { groups: ["leads"] });
      expect(outcomeOf(await signIn(account))).toBe("201");
      const roleAt = async (companyId: string) =>
        (
          await api.sql`select role from memberships where user_id = ${person.userId} and company_id = ${companyId}`
        )
          .map(({ role }) => role)
          .join();
      const pass = async () => {
        await api.sql`
          update identities set checked_at = checked_at - interval '16 minutes' where user_id = ${person.userId}
        `;
      };
      const checks = async () =>
        (await api.sql`select checked_at from identities where user_id = ${person.userId}`)[0]!.checked_at;
      return {
        ...person,
        account,
        pass,
        checks,
        role: () => roleAt(sea),
        own: () => roleAt(person.companyId),
      };
    };

    it("take their role away without another sign-in, and give it back", async () => {
      const person = await asLead();
      expect(await person.role()).toBe("owner");
      own.account = { ...person.account, groups: [] };
      await person.pass();
      await expect.poll(person.role).toBe("");
      // People have given this one.
      expect(await person.own()).toBe("viewer");
      own.account = person.account;
      await person.pass();
      await expect.poll(person.role).toBe("owner");
    });

    it("are those of nobody once the provider no longer knows the person", async () => {
      const person = await asLead();
      own.removed.add(person.account.sub);
      await person.pass();
      await expect.poll(person.role).toBe("");
      const [identity] = await api.sql`select sealed from identities where user_id = ${person.userId}`;
      expect(identity).toEqual({ sealed: null });
    });

    it("stay as they are while the provider doesn't answer, and are read by a token that is stored sealed", async () => {
      const person = await asLead();
      own.isDown = true;
      own.account = { ...person.account, groups: [] };
      const { refused } = own;
      await person.pass();
      await expect.poll(() => own.refused).toBeGreaterThan(refused);
      expect(await person.role()).toBe("owner");
      own.isDown = false;
      await person.pass();
      await expect.poll(person.role).toBe("");
      const [{ sealed }] = (await api.sql`
        select encode(sealed, 'escape') as sealed from identities where user_id = ${person.userId}
      `) as unknown as [{ sealed: string }];
      expect(sealed).not.toMatch(/[\w-]{43}/);
    });

    it.each([
      { status: 401, error: "invalid_client" },
      { status: 503, error: "temporarily_unavailable" },
      { status: 429, error: "slow_down" },
    ])("stay as they are where the provider refuses the service itself: $error", async (refusal) => {
      const person = await asLead();
      own.refusal = refusal;
      const { refused } = own;
      await person.pass();
      // A round still in progress would get a new token without storing it, and the next one would be refused.
      await expect.poll(() => own.refused).toBeGreaterThan(refused);
      const before = await person.checks();
      own.refusal = null;
      own.account = { ...person.account, groups: ["leads", "readers"] };
      // The next round still has the token, and so had nothing taken away.
      await person.pass();
      await expect.poll(async () => (await person.checks()) > before).toBe(true);
      expect(await person.role()).toBe("owner");
      expect(
        (await api.sql`select sealed is null as lost from identities where user_id = ${person.userId}`)[0],
      ).toEqual({
        lost: false,
      });
    });
  });
});
