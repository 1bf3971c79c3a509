import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  type Attempt,
  afterAttempt,
  afterRound,
  type EventDelivery,
  retrySec,
  sentAgain,
  spreadOf,
} from "../../core/model/events/event-delivery.ts";
import { eventFormats } from "../../core/model/events/event-format.ts";
import { bodyOf, linkOf, type OutgoingEvent, sentenceOf } from "../../core/model/events/event-message.ts";
import {
  checkedSubscription,
  type EventSubscription,
  isSubscribedTo,
  shownUrl,
} from "../../core/model/events/event-subscription.ts";
import { addSeconds, type Instant, secondsBetween } from "../../core/model/shared/instant.ts";
import { newId } from "../support/builders.ts";

const start: Instant = "2026-11-28T12:00:00.000Z";

const delivery = (fields: Partial<EventDelivery> = {}): EventDelivery => ({
  id: newId(),
  subscriptionId: newId(),
  eventId: newId(),
  type: "issue.created",
  subjectType: "issue",
  subjectId: newId(),
  state: "pending",
  attempts: 0,
  firstAttemptAt: null,
  lastAttemptAt: null,
  nextAttemptAt: start,
  status: null,
  answer: null,
  durationMs: null,
  createdAt: start,
  ...fields,
});

const subscription = (fields: Partial<EventSubscription> = {}): EventSubscription => ({
  id: newId(),
  companyId: newId(),
  url: "https://hooks.example/",
  format: "webhook",
  events: ["*"],
  secretVersion: 1,
  previousSecretUntil: null,
  disabledAt: null,
  disabledBecause: null,
  failingSince: null,
  failures: 0,
  lastError: null,
  createdAt: start,
  updatedAt: start,
  ...fields,
});

const attempt = (status: number | null): Attempt => ({ status, answer: "", durationMs: 1 });

describe("A delivery", () => {
  test("that fails is retried with growing pauses for a day, and is then undelivered", () => {
    fc.assert(
      fc.property(fc.constantFrom(null, 301, 400, 404, 429, 500, 503), (status) => {
        let tried = delivery();
        let at = start;
        const pauses: number[] = [];
        while (tried.state === "pending") {
          const next = afterAttempt(tried, attempt(status), at);
          if (next.nextAttemptAt !== null) pauses.push(secondsBetween(at, next.nextAttemptAt));
          at = next.nextAttemptAt ?? at;
          tried = next;
        }
        expect(tried).toMatchObject({ state: "undelivered", nextAttemptAt: null, status });
        expect(secondsBetween(start, at)).toBe(retrySec);
        const nominal = [5, 15, 60, 300, 900, 1_800];
        // The last attempt is a day after the first, however short the pause before it is.
        for (const [n, pause] of pauses.slice(0, -1).entries()) {
          expect(pause).toBeGreaterThanOrEqual(0.8 * (nominal[n] ?? 3_600) - 0.001);
          expect(pause).toBeLessThanOrEqual(1.2 * (nominal[n] ?? 3_600) + 0.001);
        }
      }),
      { numRuns: 20 },
    );
  });

  test("that failed with others is not retried with them", () => {
    const pauses = new Set(
      Array.from({ length: 20 }, () => afterAttempt(delivery(), attempt(500), start).nextAttemptAt),
    );
    expect(pauses.size).toBeGreaterThan(15);
    expect(spreadOf("00000000-0000-4000-8000-0000ffffffff", 3)).toBeLessThan(1);
  });

  test.each([200, 202, 204, 299])("is delivered by an answer of %i", (status) => {
    expect(afterAttempt(delivery(), attempt(status), start)).toMatchObject({
      state: "delivered",
      nextAttemptAt: null,
      attempts: 1,
    });
  });

  test("that is sent again has a whole day again", () => {
    const failed = delivery({
      state: "undelivered",
      attempts: 30,
      firstAttemptAt: start,
      nextAttemptAt: null,
    });
    const again = sentAgain(failed, addSeconds(start, 3 * retrySec));
    expect(afterAttempt(again, attempt(500), addSeconds(start, 3 * retrySec))).toMatchObject({
      state: "pending",
      attempts: 1,
    });
  });
});

describe("A subscription", () => {
  test("pauses for at most about a minute while everything fails, and is disabled after a day", () => {
    let failing = subscription();
    let at = start;
    while (failing.disabledAt === null) {
      const { subscription: next, pausedUntil } = afterRound(failing, [attempt(500), attempt(null)], at);
      failing = next;
      if (pausedUntil === null) break;
      expect(secondsBetween(at, pausedUntil)).toBeLessThanOrEqual(72);
      at = pausedUntil;
    }
    expect(failing).toMatchObject({ disabledBecause: "failing", failingSince: start });
    expect(secondsBetween(start, at)).toBeGreaterThanOrEqual(retrySec);
    expect(secondsBetween(start, at)).toBeLessThan(retrySec + 72);
  });

  test("has not failed if one event of a round arrived", () => {
    const failing = subscription({ failingSince: start, failures: 9 });
    expect(afterRound(failing, [attempt(500), attempt(200)], addSeconds(start, 2 * retrySec))).toMatchObject({
      subscription: { failingSince: null, failures: 0, disabledAt: null },
      pausedUntil: null,
    });
  });

  test("is disabled at once where its receiver says that it is gone", () => {
    expect(afterRound(subscription(), [attempt(410)], start).subscription).toMatchObject({
      disabledAt: start,
      disabledBecause: "gone",
    });
  });

  test.each([
    [["*"], "routine.fired", true],
    [["issue.*"], "issue.created", true],
    [["issue.*"], "approval.created", false],
    [["secret.*"], "secret.remote_import.completed", true],
    [["approval.created", "issue.*"], "approval.created", true],
    [["approval.created"], "approval.approved", false],
  ])("to %j gets %s: %s", (events, type, gets) => {
    expect(isSubscribedTo(events, type)).toBe(gets);
  });

  test.each([
    [{ url: "ftp://hooks.example/" }, ["url"]],
    [{ url: "https://user:password@hooks.example/" }, ["url"]],
    [{ url: "https://hooks.example/#part" }, ["url"]],
    [{ url: "https://hooks.example/?token=abc" }, ["url"]],
    [{ url: "https://hooks.example/ x" }, ["url"]],
    [{ events: ["issue.creatd"] }, ["events", 0]],
    [{ events: ["issue.*", "*.created"] }, ["events", 1]],
  ])("with %j is refused by the name of the field", (fields, path) => {
    const checked = checkedSubscription(subscription(fields));
    expect(checked).toMatchObject({ _tag: "Failure", failure: { details: [{ path }] } });
  });

  test("to a chat shows only its host: its address is a credential", () => {
    expect(shownUrl("https://hooks.chat.example/T0/B0/secret", "slack")).toBe("https://hooks.chat.example/…");
  });
});

const event = (fields: Partial<OutgoingEvent> = {}): OutgoingEvent => ({
  eventId: newId(),
  type: "approval.created",
  occurredAt: start,
  companyId: newId(),
  companyName: "Harbour",
  companyKey: "HAR",
  actorType: "agent",
  actorId: newId(),
  actorName: "Ada",
  assistant: null,
  runId: null,
  subjectType: "approval",
  subjectId: "0198f2a0-0000-7000-8000-000000000001",
  subjectName: null,
  details: { type: "hire_agent" },
  ...fields,
});

describe("A message", () => {
  it("to a chat is a sentence with a link to the page on which it is decided", () => {
    const link = "https://board.example/HAR/approvals/0198f2a0-0000-7000-8000-000000000001";
    expect(linkOf(event(), "https://board.example")).toBe(link);
    for (const format of eventFormats) {
      const body = bodyOf(event(), format, "https://board.example");
      expect(body).toContain(link);
      if (format !== "webhook") expect(body).toContain("Ada requested a decision");
    }
  });

  it.each([
    [
      event({
        type: "issue.status_changed",
        subjectType: "issue",
        subjectName: "Fix the login",
        details: { identifier: "HAR-12", from: "todo", to: "in_progress" },
      }),
      "Ada moved HAR-12 Fix the login: todo → in progress",
    ],
    [
      event({
        type: "issue.comment_added",
        subjectName: "Fix",
        details: { identifier: "HAR-1", bodySnippet: "Done?" },
      }),
      "Ada commented on HAR-1 Fix: “Done?”",
    ],
    [
      event({ type: "approval.approved", actorType: "board", actorName: "Ben", assistant: "Claude" }),
      "Ben with Claude approved a request",
    ],
    [
      event({ type: "issue.stalled", actorName: null, details: { identifier: "HAR-1" } }),
      "Boardroom marked as stalled: HAR-1",
    ],
    [event({ type: "event_subscription.test" }), "Harbour: this is a test of your event subscription."],
  ])("says who did what", (logged, sentence) => {
    expect(sentenceOf(logged)).toBe(sentence);
  });

  it("notifies no channel and makes no link or markup of a text of an agent", () => {
    const hostile = event({
      type: "issue.comment_added",
      details: {
        identifier: "HAR-1",
        bodySnippet: "@everyone <!channel> [click](https://evil.example) **x**",
      },
    });
    for (const format of eventFormats.filter((each) => each !== "webhook")) {
      const body = JSON.stringify(JSON.parse(bodyOf(hostile, format, "https://board.example")));
      expect(body).not.toContain("@everyone");
      expect(body).not.toContain("<!channel>");
      if (format !== "slack") expect(body).not.toContain("[click](");
    }
  });

  it("is short, whatever the texts are", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200, unit: "binary" }), (text) => {
        const named = event({
          type: "issue.created",
          subjectName: text,
          details: { identifier: "HAR-1", title: text },
        });
        expect([...sentenceOf(named)].length).toBeLessThan(400);
      }),
      { numRuns: 30 },
    );
  });
});
