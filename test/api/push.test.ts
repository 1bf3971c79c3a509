import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defaultNotices } from "../../core/model/notices/notice-settings.ts";
import { type ApiService, apiOn } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";
import { type PushBrowser, type PushService, startPushService } from "../support/push-service.ts";
import { outcomeOf, startService, type TestService } from "../support/service.ts";

const path = "/api/session/push-subscriptions";
const publicUrl = "https://board.example";
const env = { SERVICE_PUBLIC_URL: publicUrl, SERVICE_OUTBOUND_PRIVATE_HOSTS: "localhost" };

let service: TestService;
let api: ApiService;
let push: PushService;
let companyId: string;
beforeAll(async () => {
  push = await startPushService();
  service = await startService({ env });
  api = apiOn(service);
  companyId = (await api.company("Harbour Works")).id;
});
afterAll(async () => {
  await api?.stop();
  await push?.stop();
});
beforeEach(() => {
  push.answer = () => 201;
  push.redirectsTo = null;
  push.received.length = 0;
});

const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0";

/** A browser in which that token's person is signed in. */
const signIn = async (token: string) => {
  const { url } = await api.make("/api/session/links", undefined, { token });
  const headers = { "user-agent": userAgent };
  const answer = await api.post(
    "/api/session/code",
    { code: url.split("#code=")[1] },
    { token: null, headers },
  );
  expect(outcomeOf(answer)).toBe("201");
  const cookie = answer.headers.get("set-cookie")!.split(";")[0]!;
  return { token: null, headers: { ...headers, cookie, "x-csrf-token": answer.body.csrfToken } };
};
type Browser = Awaited<ReturnType<typeof signIn>>;

/** An owner who gets notices at once. */
const aPerson = async () => {
  const person = await api.user(companyId, "owner");
  const channels = { ...defaultNotices.channels, push: { kinds: ["decision"], graceSec: 0 } };
  await api.put("/api/session/notices", { ...defaultNotices, channels }, { token: person.token });
  return person;
};

const subscribe = async (browser: Browser, known: PushBrowser = push.subscribe()) => {
  const answer = await api.post(path, known.subscription, browser);
  expect(outcomeOf(answer)).toBe("200");
  return { ...known, id: answer.body.id as string };
};

const list = async (by: Parameters<ApiService["get"]>[1]) => (await api.get(path, by)).body;

const anApproval = () =>
  api.make(`/api/companies/${companyId}/approvals`, { type: "approve_ceo_strategy", payload: {} });
const approve = ({ id }: { id: string }) => api.make(`/api/approvals/${id}/approve`);

/** The messages to that browser, once there are so many. */
const messagesTo = (known: PushBrowser, count: number) =>
  eventually(
    () => Promise.resolve(push.received.filter((each) => each.path === known.path)),
    (found) => found.length >= count,
  );

describe("A push subscription", () => {
  it("belongs to a web session, and is listed without its address and keys", async () => {
    const { token } = await aPerson();
    const browser = await signIn(token);
    const known = push.subscribe();
    expect(outcomeOf(await api.post(path, known.subscription, { token }))).toBe("403 push_needs_session");
    const { id } = await subscribe(browser, known);
    const [shown] = await list(browser);
    expect(shown).toMatchObject({ id, device: "Firefox on Linux", lastUsedAt: null, current: true });
    expect(await list({ token })).toMatchObject([{ id, current: false }]);
    const { endpoint, keys } = known.subscription;
    const rows = JSON.stringify(
      await api.sql`select *, encode(sealed, 'escape') as text from push_subscriptions`,
    );
    for (const secret of [endpoint, keys.p256dh, keys.auth])
      for (const text of [rows, JSON.stringify(shown)]) expect(text).not.toContain(secret);
  });

  it("is repeated safely, and moves to the session that is signed in in its browser now", async () => {
    const { token } = await aPerson();
    const [first, second] = [await signIn(token), await signIn(token)];
    const known = await subscribe(first);
    expect((await subscribe(first, known)).id).toBe(known.id);
    expect((await subscribe(second, known)).id).toBe(known.id);
    expect(await list(first)).toMatchObject([{ id: known.id, current: false }]);
    // A browser that got another address gives up the one before.
    const next = await subscribe(second);
    expect(await list(second)).toMatchObject([{ id: next.id }]);
    // Somebody else signs in in the same browser.
    const other = await signIn((await aPerson()).token);
    await subscribe(other, next);
    expect([(await list(second)).length, (await list(other)).length]).toEqual([0, 1]);
  });

  it.each([
    ["endpoint", { endpoint: "http://localhost:1/send" }],
    ["endpoint", { endpoint: "https://user:password@localhost/send" }],
    ["endpoint", { endpoint: "https://localhost/send#part" }],
    ["endpoint", { endpoint: "" }],
    ["endpoint", { endpoint: `https://localhost/${"a".repeat(2_000)}` }],
    ["keys.p256dh", { keys: { p256dh: "AAAA", auth: "A".repeat(22) } }],
    ["keys.p256dh", { keys: { p256dh: `B${"A".repeat(86)}`, auth: "A".repeat(22) } }],
    ["keys.auth", { keys: { p256dh: null, auth: "A".repeat(21) } }],
    ["expirationTime", { expirationTime: -1 }],
  ])("is refused with the name of the field: %s %j", async (field, wrong) => {
    const browser = await signIn((await aPerson()).token);
    const { subscription } = push.subscribe();
    const keys = { ...subscription.keys, ...("keys" in wrong ? wrong.keys : {}) };
    keys.p256dh ??= subscription.keys.p256dh;
    const answer = await api.post(path, { ...subscription, ...wrong, keys }, browser);
    expect(outcomeOf(answer)).toBe("400 validation_error");
    expect(answer.body.details[0].path.join(".")).toBe(field);
    expect(await list(browser)).toEqual([]);
  });

  it.each([
    "https://127.0.0.1/send",
    "https://10.0.0.1/send",
    "https://169.254.169.254/send",
    "https://[::1]/send",
  ])("is refused at a private address that the admin doesn't allow: %s", async (endpoint) => {
    const browser = await signIn((await aPerson()).token);
    const answer = await api.post(path, { ...push.subscribe().subscription, endpoint }, browser);
    expect(outcomeOf(answer)).toBe("422 push_service_refused");
    expect(await list(browser)).toEqual([]);
  });

  it("is one of at most 20 of a person", async () => {
    const { id: userId, token } = await aPerson();
    const browser = await signIn(token);
    await api.sql`
      with session as (
        insert into board_tokens (id, user_id, kind, name, hash, expires_at, ends_at, created_at)
        select gen_random_uuid(), ${userId}, 'session', 's', uuid_send(gen_random_uuid()), now(), now(), now()
        from   generate_series(1, 20)
        returning id, hash
      )
      insert into push_subscriptions (id, user_id, session_id, endpoint_hash, sealed, created_at)
      select gen_random_uuid(), ${userId}, id, hash, '', now() from session
    `;
    const refused = await api.post(path, push.subscribe().subscription, browser);
    expect(outcomeOf(refused)).toBe("409 too_many_push_subscriptions");
    await api.sql`delete from push_subscriptions where user_id = ${userId}`;
  });

  it("ends by its id or its address, by its own person alone", async () => {
    const { token } = await aPerson();
    const [one, two] = [await signIn(token), await signIn(token)];
    const [first, second] = [await subscribe(one), await subscribe(two)];
    const other = await signIn((await aPerson()).token);
    const { endpoint } = second.subscription;
    expect(outcomeOf(await api.delete(`${path}/${first.id}`, other))).toBe("404 push_subscription_not_found");
    expect(outcomeOf(await api.delete(`${path}?endpoint=${encodeURIComponent(endpoint)}`, other))).toBe(
      "404 push_subscription_not_found",
    );
    expect(outcomeOf(await api.delete(`${path}/${first.id}`, two))).toBe("200");
    expect(outcomeOf(await api.delete(`${path}?endpoint=${encodeURIComponent(endpoint)}`, two))).toBe("200");
    expect(await list(one)).toEqual([]);
    await subscribe(one);
    expect(outcomeOf(await api.delete(path, two))).toBe("404 push_subscription_not_found");
    expect(outcomeOf(await api.delete(path, one))).toBe("200");
    expect(await list(one)).toEqual([]);
  });

  it("ends with its session, signed out here or elsewhere, also where that is idle", async () => {
    const { token } = await aPerson();
    const [here, there, idle] = [await signIn(token), await signIn(token), await signIn(token)];
    for (const browser of [here, there, idle]) await subscribe(browser);
    await api.delete("/api/session", here);
    expect((await list(there)).length).toBe(2);
    const [, { id: idleId }] = await list(there);
    await api.sql`
      update board_tokens set expires_at = now()
      where  id = (select session_id from push_subscriptions where id = ${idleId})
    `;
    // Sessions become idle after hours: what waits is not missed until the next sign-in.
    expect((await list(there)).length).toBe(2);
    await api.delete("/api/sessions", there);
    expect((await list(there)).length).toBe(1);
  });

  it("ends when its person is disabled, and 30 days after its session", async () => {
    const person = await aPerson();
    const known = await subscribe(await signIn(person.token));
    const live = () => list({ token: person.token });
    const ends = (days: number) => api.sql`
      update board_tokens set ends_at = now() - make_interval(days => ${days}), expires_at = now()
      where  id = (select session_id from push_subscriptions where id = ${known.id})
    `;
    await ends(29);
    expect((await live()).length).toBe(1);
    await ends(31);
    expect((await live()).length).toBe(0);
    await ends(0);
    await api.patch(`/api/board-users/${person.id}`, { disabled: true });
    await api.patch(`/api/board-users/${person.id}`, { disabled: false });
    const [row] = await api.sql`
      select session.revoked_at from push_subscriptions s join board_tokens session on session.id = s.session_id
      where  s.id = ${known.id}
    `;
    expect(row!.revoked_at).not.toBeNull();
  });
});

describe("The key of push subscriptions", () => {
  it("is a point of P-256, the same for several services of an installation and over a restart", async () => {
    const key = async (of: ApiService) =>
      (await of.get("/api/session/push-key", { token: api.token })).body.publicKey;
    const first = await key(api);
    expect(Buffer.from(first, "base64url").length).toBe(65);
    const second = await startService({ env, sharedWith: service, role: "api" });
    try {
      const answer = await second.request("GET", "/api/session/push-key", { token: api.token });
      expect(answer.body.publicKey).toBe(first);
    } finally {
      await second.stop();
    }
    const other = await startService({ role: "api" });
    try {
      expect((await other.request("GET", "/api/session/push-key")).body.publicKey).not.toBe(first);
    } finally {
      await other.stop();
    }
  });
});

describe("Notices by push", () => {
  it("arrive encrypted, signed with the key of the installation, and are withdrawn by a decision", async () => {
    const browser = await signIn((await aPerson()).token);
    const known = await subscribe(browser);
    const approval = await anApproval();
    const [first] = await messagesTo(known, 1);
    expect(first!.message).toMatchObject({
      type: "notice",
      path: expect.stringMatching(new RegExp(`^/[A-Z]+/approvals/${approval.id}$`)),
      body: expect.stringContaining("Harbour Works"),
    });
    const { publicKey } = (await api.get("/api/session/push-key", browser)).body;
    expect(first!.sender).toMatchObject({ key: publicKey, sub: publicUrl });
    const topic = first!.message.id.replaceAll("-", "");
    expect(first!.headers).toMatchObject({
      ttl: "604800",
      urgency: "high",
      topic,
      "content-encoding": "aes128gcm",
    });
    await approve(approval);
    const [, second] = await messagesTo(known, 2);
    expect(second!.message).toEqual({ type: "withdrawal", id: first!.message.id });
    expect(second!.headers).toMatchObject({ topic });
    const shown = await eventually(
      () => list(browser),
      ([each]) => each.lastUsedAt !== null,
    );
    expect(shown).toMatchObject([{ lastError: null }]);
  });

  it("reach each browser of a person once, where one of them is tried again", async () => {
    const { token } = await aPerson();
    const [well, broken] = [await subscribe(await signIn(token)), await subscribe(await signIn(token))];
    let fails = true;
    push.answer = ({ path: to }) => (fails && to === broken.path ? 503 : 201);
    const approval = await anApproval();
    await messagesTo(broken, 1);
    const shown = await eventually(
      () => list({ token }),
      (all) => all.some(({ lastError }: { lastError: string | null }) => lastError !== null),
    );
    expect(shown.find(({ id }: { id: string }) => id === broken.id)).toMatchObject({
      lastError: `${new URL(push.url).host} answered 503.`,
      lastUsedAt: null,
    });
    fails = false;
    // The next attempt is some seconds away.
    await messagesTo(broken, 2);
    expect((await messagesTo(well, 1)).length).toBe(1);
    await approve(approval);
    await messagesTo(broken, 3);
    const all = (await messagesTo(well, 2)).map(({ message }) => message.type);
    expect(all).toEqual(["notice", "withdrawal"]);
  });

  it("are withdrawn from a browser that has them, while another one never got them", async () => {
    const { token } = await aPerson();
    const [well, broken] = [await subscribe(await signIn(token)), await subscribe(await signIn(token))];
    push.answer = ({ path: to }) => (to === broken.path ? 503 : 201);
    const approval = await anApproval();
    await messagesTo(well, 1);
    await messagesTo(broken, 1);
    await approve(approval);
    const all = (await messagesTo(well, 2)).map(({ message }) => message.type);
    expect(all).toEqual(["notice", "withdrawal"]);
    expect((await messagesTo(broken, 1)).every(({ message }) => message.type === "notice")).toBe(true);
  });

  it.each([404, 410])(
    "end the subscription that its push service doesn't know any more: %d",
    async (status) => {
      const { token } = await aPerson();
      const known = await subscribe(await signIn(token));
      push.answer = ({ path: to }) => (to === known.path ? status : 201);
      const approval = await anApproval();
      await eventually(
        () => list({ token }),
        (all) => all.length === 0,
      );
      await approve(approval);
    },
  );

  it("of one person wait for no push service of another", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = await subscribe(await signIn((await aPerson()).token));
    const fast = await subscribe(await signIn((await aPerson()).token));
    push.answer = async ({ path: to }) => {
      if (to === slow.path) await released;
      return 201;
    };
    const approval = await anApproval();
    await messagesTo(slow, 1);
    await messagesTo(fast, 1);
    await approve(approval);
    // It got the second one before the push service of the other has answered the first.
    expect((await messagesTo(fast, 2)).length).toBe(2);
    expect((await messagesTo(slow, 1)).length).toBe(1);
    release();
  });

  it("follow no redirect", async () => {
    const browser = await signIn((await aPerson()).token);
    const known = await subscribe(browser);
    push.redirectsTo = `${push.url}/elsewhere`;
    const answer = await api.post(`${path}/${known.id}/test`, undefined, browser);
    expect(outcomeOf(answer)).toBe("502 push_not_accepted");
    expect(answer.body.error).toBe(`${new URL(push.url).host} answered 307.`);
  });
});

describe("A test notice", () => {
  it("waits for the push service, and says what that answered", async () => {
    const browser = await signIn((await aPerson()).token);
    const known = await subscribe(browser);
    const test = async () => api.post(`${path}/${known.id}/test`, undefined, browser);
    expect(outcomeOf(await test())).toBe("200");
    const [sent] = await messagesTo(known, 1);
    expect(sent!.message).toMatchObject({ title: "Test notice", path: "/profile" });
    push.answer = () => 500;
    const refused = await test();
    expect(outcomeOf(refused)).toBe("502 push_not_accepted");
    push.answer = () => 410;
    expect(outcomeOf(await test())).toBe("404 push_subscription_not_found");
    expect(await list(browser)).toEqual([]);
  });

  it("is sent to browsers of one's own alone", async () => {
    const known = await subscribe(await signIn((await aPerson()).token));
    const other = await signIn((await aPerson()).token);
    expect(outcomeOf(await api.post(`${path}/${known.id}/test`, undefined, other))).toBe(
      "404 push_subscription_not_found",
    );
    // Browsers of other tests may still get what those have caused.
    expect(push.received.filter(({ path: to }) => to === known.path)).toEqual([]);
  });
});
