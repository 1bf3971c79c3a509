import * as Effect from "effect/Effect";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tokenCredentials } from "../../adapters-infra/local/token-credentials.ts";
import { uuidIds } from "../../adapters-infra/local/uuid-ids.ts";
import { transactAsSystem } from "../../core/access/unit-of-work.ts";
import type { BoardCaller } from "../../core/model/access/caller.ts";
import type { SignIn } from "../../core/model/access/sign-in.ts";
import { mostPerHour } from "../../core/model/notices/notice.ts";
import { defaultNotices, type NoticeSettings } from "../../core/model/notices/notice-settings.ts";
import type { CompanyId, IssueId, ServiceId, TokenId, UserId } from "../../core/model/shared/ids.ts";
import { addSeconds, type Instant } from "../../core/model/shared/instant.ts";
import { notices } from "../../core/notices/index.ts";
import type { NoticeAttempt, OutgoingNotice, SentNotice } from "../../ports/notice-channels.ts";
import { aCompany, anIssue, newId, openTestStorage, type TestStorage } from "../support/builders.ts";
import { eventually } from "../support/eventually.ts";

let storage: TestStorage;
let companyId: CompanyId;
let userId: UserId;
let at: Instant;
const later = (seconds: number) => {
  at = addSeconds(at, seconds);
};

beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage?.close());
beforeEach(async () => {
  at = "2026-11-28T12:00:00.000Z";
  await storage.sql`truncate notices, notice_people, notice_cursors, push_deliveries`;
  await storage.sql`update board_users set disabled_at = now()`;
  companyId = (await aCompany(storage)).id;
  userId = newId<UserId>();
  await storage.sql`insert into board_users (id, name, created_at) values (${userId}, 'Ada', ${at})`;
  await storage.sql`
    insert into memberships (company_id, user_id, role, created_at) values (${companyId}, ${userId}, 'operator', ${at})
  `;
});

const caller = (): BoardCaller => ({
  kind: "board",
  userId,
  name: "Ada",
  admin: false,
  roles: new Map([[companyId, "operator"]]),
  tokenId: newId<TokenId>(),
  session: true,
});

const context = () => ({ transactor: storage.transactor, clock: { now: () => at }, ids: uuidIds });

/** Logs a change of the issue, and waits until nobody's transaction can put an entry before it. */
const change = async (
  id: IssueId,
  set: { readonly status: "in_review" | "done"; readonly mine: boolean },
) => {
  await Effect.runPromise(
    transactAsSystem(context(), "test.change", function* (unit) {
      const { identifier } = yield* unit.issues.find(id);
      const moved = { identifier, from: "todo", to: set.status } as const;
      yield* unit.log("issue.status_changed", { companyId, id }, moved);
    }),
  );
  await storage.sql`
    update issues
    set    status = ${set.status}, assignee_user_id = ${set.mine ? userId : null},
           completed_at = ${set.status === "done" ? at : null}
    where  id = ${id}
  `;
  await eventually(
    () => storage.sql`
      select from activity where entity_id = ${id} and xid >= pg_snapshot_xmin(pg_current_snapshot())
    `,
    (open) => open.length === 0,
  );
};

/** An issue that waits for the person's review. */
const aReview = async (title = "Fix the login"): Promise<IssueId> => {
  const { id } = await anIssue(storage, { companyId, title });
  await change(id, { status: "in_review", mine: true });
  return id;
};
const decide = (id: IssueId) => change(id, { status: "done", mine: false });

interface Sent {
  readonly action: "send" | "withdraw";
  readonly channel: "push" | "email";
  readonly notice: SentNotice & Partial<OutgoingNotice>;
}

/** Services that share the people, and what left by their channels. */
const services = (
  answer: (sent: Sent, nth: number) => NoticeAttempt | Promise<NoticeAttempt> = () => "sent",
) => {
  const sent: Sent[] = [];
  const channel = (name: "push" | "email") => {
    const note = (action: Sent["action"]) => (notice: OutgoingNotice | SentNotice) =>
      Effect.promise(async () => {
        const each = { action, channel: name, notice };
        return answer(each, sent.push(each));
      });
    return { name, canReach: () => Effect.succeed(true), send: note("send"), withdraw: note("withdraw") };
  };
  const doors = notices({
    ...context(),
    inbox: storage.views.inbox,
    channels: [channel("push"), channel("email")],
    credentials: tokenCredentials({ derive: () => Buffer.alloc(32) }),
  });
  const round = async (by = newId<ServiceId>()) => {
    const work: Effect.Effect<void>[] = [];
    await Effect.runPromise(doors.send(by, (each) => Effect.sync(() => void work.push(each))));
    await Effect.runPromise(Effect.all(work, { concurrency: "unbounded" }));
  };
  const texts = () =>
    sent.map(({ action, channel, notice }) => `${action} ${channel} ${notice.title ?? ""}`.trim());
  return { doors, round, sent, texts };
};

const save = (fields: Partial<NoticeSettings>) =>
  Effect.runPromise(
    services().doors.saveSettings({ caller: caller(), settings: { ...defaultNotices, ...fields } }),
  );
const see = (stays: boolean) => Effect.runPromise(services().doors.notePresence({ caller: caller(), stays }));

describe("notices", () => {
  it("are sent after the grace period of each channel, once", async () => {
    const { round, texts, sent } = services();
    const id = await aReview();
    await round();
    later(4);
    await round();
    expect(texts()).toEqual([]);
    later(1);
    await round();
    await round();
    expect(texts()).toEqual(["send push Fix the login"]);
    later(55);
    await round();
    later(3_600);
    await round();
    expect(texts()).toEqual(["send push Fix the login", "send email Fix the login"]);
    expect(sent[0]!.notice).toMatchObject({ kind: "decision", issueId: id, isUpdate: false, userId });
    expect(sent[0]!.notice.path).toMatch(/^\/[A-Z]+\/issues\/[A-Z]+-\d+$/);
    expect(new Set(sent.map(({ notice }) => notice.id)).size).toBe(1);
  });

  it("never appear where the subject is decided within the grace period", async () => {
    const { round, texts } = services();
    const id = await aReview();
    await round();
    await decide(id);
    later(5);
    await round();
    later(3_600);
    await round();
    expect(texts()).toEqual([]);
  });

  it("are withdrawn from every channel by a decision, and only where they were sent", async () => {
    const { round, texts } = services();
    const id = await aReview();
    await round();
    later(5);
    await round();
    await decide(id);
    await round();
    await round();
    expect(texts()).toEqual(["send push Fix the login", "withdraw push"]);
  });

  it("are not sent of what the person sees on an open page", async () => {
    const { round, texts } = services();
    await see(true);
    await aReview();
    await round();
    later(5);
    await see(true);
    await round();
    later(60);
    await round();
    expect(texts()).toEqual([]);
  });

  it("wait for the report of a visible page, and are sent when the person has left it", async () => {
    const { round, texts } = services();
    await see(true);
    later(1);
    await aReview();
    await round();
    later(10);
    await round();
    expect(texts()).toEqual([]);
    await storage.sql`update notice_people set seen_at = '2026-11-28T12:00:00Z', present_until = ${at}, has_news = true`;
    await round();
    expect(texts()).toEqual([]);
    later(35);
    await round();
    expect(texts()).toEqual(["send push Fix the login"]);
  });

  it("are sent by email only if nothing was done about the push", async () => {
    const { round, texts } = services();
    await aReview();
    await round();
    later(5);
    await round();
    later(10);
    await see(false);
    later(60);
    await round();
    expect(texts()).toEqual(["send push Fix the login"]);
  });

  it("wait for the end of the quiet hours", async () => {
    await save({ timeZone: "Europe/Berlin", quietHours: { from: "12:00", to: "14:30" } });
    const { round, texts } = services();
    await aReview();
    await round();
    later(5);
    await round();
    later(80 * 60);
    await round();
    expect(texts()).toEqual([]);
    at = "2026-11-28T13:30:00.000Z";
    await round();
    expect(texts()).toEqual(["send push Fix the login", "send email Fix the login"]);
  });

  describe("of sign-ins", () => {
    const aSignIn = (fields: Partial<SignIn> = {}) =>
      Effect.runPromise(
        transactAsSystem(context(), "test.signIn", function* (unit) {
          const signIn: SignIn = {
            id: unit.newId(),
            userId,
            method: "passkey",
            refusal: null,
            device: "Firefox on Linux",
            address: "192.0.2.1",
            newDevice: true,
            createdAt: at,
            ...fields,
          };
          yield* unit.access.insertSignIn(signIn);
          yield* unit.notices.markPerson(userId);
        }),
      );

    it("on a new device are sent at once, also while somebody looks at the page, and once", async () => {
      const { round, sent, texts } = services();
      await see(true);
      await aSignIn();
      await aSignIn({ newDevice: false });
      await round();
      later(30);
      await see(true);
      await round();
      later(3_600);
      await round();
      expect(texts()).toEqual(["send push New sign-in", "send email New sign-in"]);
      expect(sent[0]!.notice).toMatchObject({ kind: "sign_in", path: "/profile", companyId: null });
      expect(sent[0]!.notice.text).toContain("Firefox on Linux at 192.0.2.1");
    });

    it("that were refused are one notice, with news once an hour", async () => {
      const { round, texts } = services();
      const refused = () => aSignIn({ refusal: "passkey_not_valid", newDevice: false });
      for (const pauseSec of [60, 60, 1_800, 1_800, 60]) {
        await refused();
        await round();
        later(pauseSec);
      }
      const push = texts().filter((text) => text.includes("push"));
      expect(push).toEqual(["send push Sign-in refused", "send push Sign-in refused"]);
    });

    it("are no news for a channel that is added days later, nor unwanted ones", async () => {
      const { round, texts } = services();
      await aSignIn();
      later(86_400);
      await round();
      const channel = { kinds: [], graceSec: 0 };
      await save({ channels: { push: channel, email: channel, chat: channel } });
      await aSignIn();
      await round();
      expect(texts()).toEqual([]);
    });
  });

  it("follow the settings of the company in place of the channel's", async () => {
    await save({ companies: [{ companyId, kinds: { push: [], email: ["decision"], chat: [] } }] });
    const { round, texts } = services();
    await aReview();
    await round();
    later(60);
    await round();
    expect(texts()).toEqual(["send email Fix the login"]);
  });

  it("are limited for each person, and none is lost", async () => {
    const { round, sent } = services();
    for (let n = 0; n <= mostPerHour; n++) await aReview(`Issue ${n}`);
    await round();
    later(5);
    await round();
    expect(sent.length).toBe(mostPerHour);
    later(3_602);
    await round();
    expect(sent.filter(({ channel }) => channel === "push").length).toBe(mostPerHour + 1);
  });

  it("arrive in order, once each, when a receiver was down for an hour", async () => {
    let isDown = true;
    const { round, sent } = services(({ channel }) => (channel === "push" && isDown ? "failed" : "sent"));
    await aReview("First");
    await round();
    later(1);
    await aReview("Second");
    await round();
    for (let minute = 0; minute < 60; minute++) {
      later(60);
      await round();
    }
    isDown = false;
    sent.length = 0;
    for (let minute = 0; minute < 30; minute++) {
      later(60);
      await round();
    }
    expect(sent.map(({ notice }) => notice.title)).toEqual(["First", "Second"]);
  });

  it("arrive in order where a later one is due before the next attempt of those that failed", async () => {
    let isDown = true;
    const { round, sent } = services(({ channel }) => (channel === "push" && isDown ? "failed" : "sent"));
    await aReview("First");
    for (let minute = 0; minute < 25; minute++) {
      later(60);
      await round();
    }
    // The pauses of the first are ten minutes by now; it has just failed again.
    const failures = () => sent.filter(({ channel }) => channel === "push").length;
    for (const before = failures(); failures() === before; ) {
      later(60);
      await round();
    }
    await aReview("Second");
    await round();
    isDown = false;
    sent.length = 0;
    for (let minute = 0; minute < 30; minute++) {
      later(60);
      await round();
    }
    const pushed = sent.filter(({ channel }) => channel === "push");
    expect(pushed.map(({ notice }) => notice.title)).toEqual(["First", "Second"]);
  });

  it("are not sent twice by services that share the work, nor lost with one that is killed", async () => {
    const { doors, round, texts } = services();
    await aReview();
    await round();
    later(5);
    // A service leases the person and is killed before it sends.
    await Effect.runPromise(doors.send(newId<ServiceId>(), () => Effect.void));
    await round();
    expect(texts()).toEqual([]);
    later(61);
    await Promise.all([round(), round(), round()]);
    expect(texts().filter((text) => text.includes("push"))).toEqual(["send push Fix the login"]);
  });

  it("are sent after the clock was put back by days, once", async () => {
    const { round, texts } = services();
    await aReview();
    await round();
    expect(texts()).toEqual([]);
    later(-3 * 86_400);
    await round();
    await round();
    expect(texts()).toEqual(["send push Fix the login", "send email Fix the login"]);
  });

  it("send a digest once a day, and none where nothing waits", async () => {
    const channels = {
      push: { kinds: [], graceSec: 5 },
      email: { kinds: ["digest" as const], graceSec: 60 },
      chat: { kinds: [], graceSec: 60 },
    };
    await save({ channels, digestAt: "13:00" });
    const { round, sent, texts } = services();
    await round();
    at = "2026-11-28T13:00:00.000Z";
    await round();
    expect(sent).toEqual([]);
    const id = await aReview();
    at = "2026-11-29T13:00:00.000Z";
    await round();
    await round();
    expect(texts()).toEqual(["send email 1 item in your inbox"]);
    expect(sent[0]!.notice.text).toContain("Fix the login");
    await decide(id);
    at = "2026-11-30T13:00:00.000Z";
    await round();
    expect(texts()).toEqual(["send email 1 item in your inbox", "withdraw email"]);
  });
});
