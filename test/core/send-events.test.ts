import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { aesCipher } from "../../adapters-infra/local/aes-cipher.ts";
import { eventSigning } from "../../adapters-infra/local/event-signing.ts";
import { loadMasterKey } from "../../adapters-infra/local/master-key.ts";
import { uuidIds } from "../../adapters-infra/local/uuid-ids.ts";
import { recordFingerprint } from "../../adapters-infra/postgres/key-fingerprint.ts";
import { transactAsSystem } from "../../core/access/unit-of-work.ts";
import { events } from "../../core/events/index.ts";
import { isSubscribedTo } from "../../core/model/events/event-subscription.ts";
import type {
  CompanyId,
  EventDeliveryId,
  EventSubscriptionId,
  IssueId,
  ServiceId,
} from "../../core/model/shared/ids.ts";
import { addSeconds, type Instant } from "../../core/model/shared/instant.ts";
import type { OutboundAnswer, OutboundPost } from "../../ports/outbound-posts.ts";
import { aCompany, newId, openTestStorage, type TestStorage } from "../support/builders.ts";
import { eventually } from "../support/eventually.ts";
import { theBoard } from "../support/nouns.ts";

let storage: TestStorage;
let directory: string;
let companyId: CompanyId;
let at: Instant;
let cipher: ReturnType<typeof aesCipher>;

beforeAll(async () => {
  [storage, directory] = await Promise.all([openTestStorage(), mkdtemp(join(tmpdir(), "boardroom-keys-"))]);
  const ring = await Effect.runPromise(
    loadMasterKey({ fromEnvironment: null, path: join(directory, "master.key"), expected: null }),
  );
  await Effect.runPromise(recordFingerprint(storage.sql, ring.current.fingerprint));
  cipher = aesCipher(ring);
});
afterAll(async () => {
  await storage?.close();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  at = "2026-11-28T12:00:00.000Z";
  companyId = (await aCompany(storage)).id;
  await storage.sql`delete from event_subscriptions`;
});

type Answer = (post: OutboundPost, nth: number) => Partial<OutboundAnswer> | Promise<Partial<OutboundAnswer>>;

/** A service that sends events, and what its receivers got. */
const aService = (answer: Answer = () => ({})) => {
  const got: OutboundPost[] = [];
  const serviceId = newId<ServiceId>();
  const context = { transactor: storage.transactor, clock: { now: () => at }, ids: uuidIds };
  const doors = events({
    ...context,
    cipher,
    signing: eventSigning,
    address: () => "https://board.example",
    posts: {
      refusal: () => Effect.succeed(null),
      post: (post) =>
        Effect.promise(async () => ({ status: 200, text: "", ...(await answer(post, got.push(post))) })),
    },
  });
  /** One round of the job, and all that it left to the background. */
  const send = async (): Promise<void> => {
    const work: Effect.Effect<void>[] = [];
    const isMore = await Effect.runPromise(
      doors.send(serviceId, (each) => Effect.sync(() => void work.push(each))),
    );
    await Effect.runPromise(Effect.all(work, { concurrency: "unbounded" }));
    if (isMore) await send();
  };
  return { doors, got, send, context, types: () => got.map(({ body }) => JSON.parse(String(body)).type) };
};
type Service = ReturnType<typeof aService>;

const run = Effect.runPromise;

const subscribe = async (
  { doors }: Service,
  fields: {
    events?: readonly string[];
    format?: "webhook" | "slack";
    url?: string;
    companyId?: CompanyId;
  } = {},
) =>
  run(
    doors.add({
      id: newId<EventSubscriptionId>(),
      companyId,
      url: "https://hooks.example/",
      format: "webhook",
      events: ["issue.*"],
      by: theBoard,
      ...fields,
    }),
  );

/** An act on an issue: one event, in a transaction of its own. */
const act = async (issueId = newId<IssueId>(), title = "A", of = companyId): Promise<void> => {
  await run(
    transactAsSystem(
      { transactor: storage.transactor, clock: { now: () => at }, ids: uuidIds },
      "test",
      (unit) =>
        (function* () {
          yield* unit.log("issue.created", { companyId: of, id: issueId }, { identifier: "ABC-1", title });
        })(),
    ),
  );
  await allCommitted();
};

/** Events wait for every transaction of the server that began before them; other tests have theirs open, too. */
const allCommitted = () =>
  eventually(
    async () =>
      storage.sql`select from activity where xid >= pg_snapshot_xmin(pg_current_snapshot()) limit 1`,
    (unsettled) => unsettled.length === 0,
  );

const titles = ({ got }: Service) => got.map(({ body }) => JSON.parse(String(body)).data.details.title);
const deliveries = async (id: EventSubscriptionId) =>
  (await run(storage.views.events.deliveries(id, undefined, { limit: 500, cursor: undefined }))).items;
const shown = (id: EventSubscriptionId) => run(storage.views.events.get(id));

describe("Events of a company", () => {
  it("reach a subscription signed, from the next one on and in no other company's", async () => {
    const service = aService();
    await act(undefined, "before");
    const { secret, subscription } = await subscribe(service);
    const other = (await aCompany(storage)).id;
    await act(undefined, "elsewhere", other);
    await act(undefined, "after");
    await service.send();
    expect(titles(service)).toEqual(["after"]);
    const [post] = service.got;
    const verified = new Webhook(secret!).verify(String(post!.body), {
      ...post!.headers,
      ...resigned(secret!, post!),
    });
    expect(verified).toMatchObject({ type: "issue.created", data: { companyId, url: expect.any(String) } });
    expect(await deliveries(subscription.id)).toMatchObject([
      { state: "delivered", attempts: 1, status: 200 },
    ]);
    expect(JSON.stringify(await shown(subscription.id))).not.toContain(secret!);
  });

  it("are signed by both secrets for a day after a rotation, and by the new one alone later", async () => {
    const service = aService();
    const { secret: first, subscription } = await subscribe(service);
    const { secret: second } = await run(
      service.doors.rotateSecret({ eventSubscriptionId: subscription.id, by: theBoard }),
    );
    expect(second).not.toBe(first);
    await act();
    await service.send();
    at = addSeconds(at, 86_401);
    await act();
    await service.send();
    const signaturesOf = ({ headers }: OutboundPost) => headers["webhook-signature"]!.split(" ");
    const [both, alone] = service.got;
    expect(signaturesOf(both!)).toEqual([signatureBy(second, both!), signatureBy(first!, both!)]);
    expect(signaturesOf(alone!)).toEqual([signatureBy(second, alone!)]);
  });

  it("that are chosen in SQL are those that the rule chooses", async () => {
    const patterns = [
      ["*"],
      ["issue.*"],
      ["issue.created"],
      ["issue.updated"],
      ["approval.*"],
      ["secret.*", "issue.*"],
    ];
    const service = aService();
    for (const chosen of patterns) {
      await storage.sql`delete from event_subscriptions`;
      service.got.length = 0;
      await subscribe(service, { events: chosen });
      await act();
      await service.send();
      expect(service.types().includes("issue.created")).toBe(isSubscribedTo(chosen, "issue.created"));
    }
  });

  it("of one subject arrive in order although a receiver fails, and those of others are not held up", async () => {
    let isDown = true;
    const [slow, quick] = [newId<IssueId>(), newId<IssueId>()];
    const service = aService((post) => ({
      status: isDown && JSON.parse(String(post.body)).data.entityId === slow ? 500 : 200,
    }));
    await subscribe(service);
    for (const title of ["1", "2", "3"]) await act(slow, title);
    for (const title of ["a", "b"]) await act(quick, title);
    await service.send();
    expect(titles(service)).toEqual(["1", "a", "b"]);
    isDown = false;
    at = addSeconds(at, 10);
    await service.send();
    expect(titles(service)).toEqual(["1", "a", "b", "1", "2", "3"]);
  });

  it("all arrive in order after the receiver was down for an hour", async () => {
    let isDown = true;
    const service = aService(() => ({ status: isDown ? null : 200, text: isDown ? "refused" : "" }));
    await subscribe(service);
    const issues = [newId<IssueId>(), newId<IssueId>(), newId<IssueId>()];
    const sent: string[] = [];
    for (let minute = 0; minute < 60; minute += 5) {
      const title = `${minute}`;
      sent.push(title);
      await act(issues[(minute / 5) % 3]!, title);
      await service.send();
      at = addSeconds(at, 300);
    }
    isDown = false;
    service.got.length = 0;
    for (let hour = 0; hour < 3; hour += 1) {
      at = addSeconds(at, 3_600);
      await service.send();
    }
    const got = titles(service);
    expect([...got].sort()).toEqual([...sent].sort());
    for (const n of [0, 1, 2]) {
      const ofIssue = (all: readonly string[]) => all.filter((title) => (Number(title) / 5) % 3 === n);
      expect(ofIssue(got)).toEqual(ofIssue(sent));
    }
  });

  it("are given up after a day, when the subscription is disabled and says so in the activity; then they can be sent again", async () => {
    let isDown = true;
    const service = aService(() => ({ status: isDown ? 503 : 200, text: "no" }));
    const { subscription } = await subscribe(service);
    const { id } = subscription;
    await act(undefined, "1");
    for (let hour = 0; hour <= 25; hour += 1) {
      await service.send();
      at = addSeconds(at, 3_600);
    }
    expect(await shown(id)).toMatchObject({
      disabledBecause: "failing",
      lastError: "no",
      pending: 0,
      undelivered: 1,
    });
    const [entry] = await storage.sql`
      select details from activity where entity_id = ${id} and action = 'event_subscription.disabled'
    `;
    expect(entry!.details).toEqual({ name: "https://hooks.example/", reason: "failing" });
    await act(undefined, "while disabled");
    isDown = false;
    service.got.length = 0;
    await service.send();
    expect(service.got).toEqual([]);
    const period = { eventSubscriptionId: id, from: "2026-11-01T00:00:00.000Z", to: at, by: theBoard };
    const again = () =>
      run(Effect.result(service.doors.redeliverRange({ ...period, states: ["undelivered"] })));
    expect(await again()).toMatchObject({ failure: { code: "event_subscription_disabled" } });
    await run(service.doors.update({ eventSubscriptionId: id, enabled: true, by: theBoard }));
    expect(await again()).toMatchObject({ success: { deliveries: 1 } });
    await act(undefined, "2");
    await service.send();
    expect(titles(service).sort()).toEqual(["1", "2"]);
  });

  it("are sent again one by one and in their order", async () => {
    const service = aService();
    const { subscription } = await subscribe(service);
    const issue = newId<IssueId>();
    for (const title of ["1", "2", "3"]) await act(issue, title);
    await service.send();
    const [last] = await deliveries(subscription.id);
    await run(service.doors.redeliver({ eventDeliveryId: last!.id, by: theBoard }));
    await service.send();
    expect(service.got).toHaveLength(4);
    const range = { from: "2026-11-01T00:00:00.000Z", to: addSeconds(at, 1) };
    service.got.length = 0;
    await run(
      service.doors.redeliverRange({
        eventSubscriptionId: subscription.id,
        ...range,
        states: ["delivered"],
        by: theBoard,
      }),
    );
    await service.send();
    expect([...titles(service)].sort()).toEqual(["1", "2", "3"]);
    const ids = new Set(service.got.map(({ headers }) => headers["webhook-id"]));
    expect(ids.size).toBe(3);
  });

  it("are shared by services, and taken over from one that died", async () => {
    const one = aService();
    const two = aService();
    await subscribe(one);
    await act(undefined, "1");
    // The first takes the subscription and dies before it sends.
    await run(one.doors.send(newId<ServiceId>(), () => Effect.void));
    await two.send();
    expect(two.got).toEqual([]);
    at = addSeconds(at, 46);
    await two.send();
    expect(titles(two)).toEqual(["1"]);
    for (let n = 0; n < 40; n += 1) await act(undefined, `s${n}`);
    await Promise.all([one.send(), two.send(), one.send(), two.send()]);
    expect([...titles(one), ...titles(two)].filter((title) => title.startsWith("s"))).toHaveLength(40);
  });

  it("reach one receiver while another does not answer", async () => {
    let answered = () => {};
    const silence = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const service = aService(async ({ url }) => {
      if (url.includes("silent")) await silence;
      return {};
    });
    await subscribe(service, { url: "https://silent.example/" });
    await subscribe(service, { url: "https://quick.example/" });
    const fibers: Promise<void>[] = [];
    const round = () =>
      run(service.doors.send(newId<ServiceId>(), (work) => Effect.sync(() => void fibers.push(run(work)))));
    await act(undefined, "1");
    await round();
    const quick = () => service.got.filter(({ url }) => url.includes("quick"));
    await Promise.race(fibers);
    expect(quick()).toHaveLength(1);
    await act(undefined, "2");
    const before = fibers.length;
    await round();
    await Promise.all(fibers.slice(before));
    expect(quick()).toHaveLength(2);
    answered();
    await Promise.all(fibers);
  });

  it("are still sent after the clock was put back", async () => {
    const service = aService(() => ({ status: 500 }));
    const { subscription } = await subscribe(service);
    await act();
    await service.send();
    at = addSeconds(at, -400 * 86_400);
    await service.send();
    expect(await deliveries(subscription.id)).toMatchObject([{ attempts: 2 }]);
  });

  it("go to the address of a chat, which is stored sealed and shown to nobody", async () => {
    const url = "https://chat.example/hooks/T0/secret-part-of-it";
    const service = aService(({ url }) => ({ text: `no such hook: ${url}` }));
    const { subscription, secret } = await subscribe(service, { format: "slack", url });
    expect(secret).toBeNull();
    await act(undefined, "Fix <it>");
    await service.send();
    expect(service.got).toMatchObject([{ url }]);
    expect(JSON.parse(String(service.got[0]!.body)).text).toContain("Fix &lt;it&gt;");
    const stored = await storage.sql`
      select row_to_json(s)::text || coalesce((select string_agg(row_to_json(d)::text, '') from event_deliveries d), '')
             || coalesce((select string_agg(row_to_json(a)::text, '') from activity a where company_id = ${companyId}), '') as text
      from event_subscriptions s
    `;
    expect(stored[0]!.text).not.toContain("secret-part");
    const rotated = service.doors.rotateSecret({ eventSubscriptionId: subscription.id, by: theBoard });
    expect(await run(Effect.result(rotated))).toMatchObject({
      failure: { code: "event_subscription_has_no_secret" },
    });
  });

  it("of a test arrive although no pattern names them", async () => {
    const service = aService();
    const { subscription } = await subscribe(service);
    await run(
      service.doors.test({
        id: newId<EventDeliveryId>(),
        eventSubscriptionId: subscription.id,
        by: theBoard,
      }),
    );
    await service.send();
    expect(service.types()).toEqual(["event_subscription.test"]);
  });

  it("that ended two weeks ago are deleted, and pending ones never", async () => {
    const service = aService(({ body }) => ({ status: String(body).includes("stuck") ? 500 : 200 }));
    const { subscription } = await subscribe(service);
    await act(undefined, "stuck");
    await act(undefined, "fine");
    await service.send();
    at = addSeconds(at, 15 * 86_400);
    await run(service.doors.deleteOld());
    expect(await deliveries(subscription.id)).toMatchObject([{ state: "pending" }]);
  });
});

const signatureBy = (secret: string, { headers, body }: OutboundPost): string =>
  new Webhook(secret).sign(
    headers["webhook-id"]!,
    new Date(Number(headers["webhook-timestamp"]) * 1_000),
    String(body),
  );

/** The package accepts only signatures of the last five minutes: the same message, signed now. */
const resigned = (secret: string, post: OutboundPost) => {
  expect(post.headers["webhook-signature"]).toBe(signatureBy(secret, post));
  const now = new Date();
  return {
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign(post.headers["webhook-id"]!, now, String(post.body)),
  };
};
