import { createHmac } from "node:crypto";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Routine } from "../../core/model/routines/routine.ts";
import type { SigningMode } from "../../core/model/routines/trigger.ts";
import type { RoutineRunId, TriggerId } from "../../core/model/shared/ids.ts";
import { addSeconds, type Instant } from "../../core/model/shared/instant.ts";
import { newId } from "../support/builders.ts";
import { byAgent, theBoard } from "../support/nouns.ts";
import { openRoutineRoom, type RoutineRoom } from "../support/routines.ts";

let room: RoutineRoom;
beforeAll(async () => {
  room = await openRoutineRoom();
});
afterAll(() => room?.close());

const start: Instant = "2026-11-21T12:00:30.000Z";

interface RunRow {
  readonly id: string;
  readonly status: string;
  readonly source: string;
  readonly scheduledFor: Instant | null;
  readonly linkedIssueId: string | null;
  readonly coalescedIntoRunId: string | null;
}

const runsOf = (routine: Pick<Routine, "id">) =>
  room.storage.sql<RunRow[]>`
    select    id, status, source, scheduled_for, linked_issue_id, coalesced_into_run_id
    from      routine_runs
    where     routine_id = ${routine.id}
    order by  triggered_at, scheduled_for, id
  `;

const missedNotes = async (routine: Routine) =>
  (
    await room.storage.sql<{ details: Record<string, unknown> }[]>`
      select details from activity where entity_id = ${routine.id} and action = 'routine.ticks_missed' order by id
    `
  ).map(({ details }) => details);

const byHand = (routine: Routine, fields: { triggerId?: TriggerId; idempotencyKey?: string } = {}) =>
  room.routines.run({
    id: newId<RoutineRunId>(),
    routineId: routine.id,
    by: theBoard,
    source: "manual",
    ...fields,
  });

describe("A tick", () => {
  it("fires once with any number of schedulers at once, with one issue and one run of the assignee", async () => {
    room.setClock(start);
    const routine = await room.routine();
    const trigger = await room.schedule(routine, "* * * * *");
    room.setClock("2026-11-21T12:01:00.000Z");
    const answers = await Promise.all(Array.from({ length: 8 }, () => room.tick(trigger)));
    expect(answers.filter((fired) => fired === 1)).toHaveLength(1);
    expect(await runsOf(routine)).toMatchObject([
      { status: "issue_created", source: "schedule", scheduledFor: "2026-11-21T12:01:00.000Z" },
    ]);
    const [made] = await room.storage.sql`
      select  (select count(*) from issues where routine_id = ${routine.id}) as issues,
              (
                select  count(*)
                from    runs
                where   issue_id in (select id from issues where routine_id = ${routine.id})
                and     agent_id = ${room.agent.id}
                and     status = 'queued'
              ) as runs
    `;
    expect(made).toEqual({ issues: 1, runs: 1 });
    const [after] = await room.storage.sql`select next_fire_at from routine_triggers where id = ${trigger}`;
    expect(after!.nextFireAt).toBe("2026-11-21T12:02:00.000Z");
  });

  it("in an archived project is a failed firing, which makes no issue", async () => {
    room.setClock(start);
    const routine = await room.routine();
    const trigger = await room.schedule(routine, "* * * * *");
    await room.storage.sql`update projects set archived_at = ${start} where id = ${routine.projectId}`;
    room.setClock("2026-11-21T12:01:00.000Z");
    expect(await room.tick(trigger)).toBe(1);
    await room.storage.sql`update projects set archived_at = null where id = ${routine.projectId}`;
    expect(await runsOf(routine)).toMatchObject([{ status: "failed", source: "schedule" }]);
    const [failed] = await room.storage.sql`
      select failure_reason from routine_runs where routine_id = ${routine.id}`;
    expect(failed!.failureReason).toMatch(/archived/);
    expect(await room.storage.sql`select from issues where routine_id = ${routine.id}`).toHaveLength(0);
  });

  it("does not fire before its time, and not again", async () => {
    room.setClock(start);
    const routine = await room.routine({ concurrencyPolicy: "always_enqueue" });
    const trigger = await room.schedule(routine, "* * * * *");
    room.setClock("2026-11-21T12:00:59.999Z");
    expect(await room.tick(trigger)).toBeNull();
    room.setClock("2026-11-21T12:01:00.000Z");
    expect(await room.tick(trigger)).toBe(1);
    expect(await room.tick(trigger)).toBeNull();
  });

  it("does not fire twice after a clock moves back or the schedule is set again", async () => {
    room.setClock(start);
    const routine = await room.routine({ concurrencyPolicy: "always_enqueue" });
    const trigger = await room.schedule(routine, "* * * * *");
    room.setClock("2026-11-21T12:01:00.000Z");
    expect(await room.tick(trigger)).toBe(1);
    room.setClock("2026-11-21T12:00:20.000Z");
    expect(await room.tick(trigger)).toBe(0);
    expect(await room.tick(trigger)).toBeNull();
    for (const enabled of [false, true])
      await room.run(room.routines.updateTrigger({ triggerId: trigger, by: theBoard, enabled }));
    room.setClock("2026-11-21T12:01:00.000Z");
    expect(await room.tick(trigger)).toBe(0);
    room.setClock("2026-11-21T12:02:00.000Z");
    expect(await room.tick(trigger)).toBe(1);
    expect((await runsOf(routine)).map(({ scheduledFor }) => scheduledFor)).toEqual([
      "2026-11-21T12:01:00.000Z",
      "2026-11-21T12:02:00.000Z",
    ]);
  });

  it.each(["routine", "company", "budget of the company", "trigger"])(
    "is skipped while the %s is paused or over budget, and is not made up later",
    async (what) => {
      room.setClock(start);
      const routine = await room.routine({ catchUpPolicy: "enqueue_missed_with_cap" });
      const trigger = await room.schedule(routine, "* * * * *");
      const company = (status: string) =>
        room.storage.sql`update companies set status = ${status} where id = ${room.companyId}`;
      const set = async (paused: boolean) => {
        if (what === "company") await company(paused ? "paused" : "active");
        else if (what === "budget of the company")
          await room.storage.sql`
            update companies set held_by_budget_at = ${paused ? start : null} where id = ${room.companyId}`;
        else if (what === "routine")
          await room.run(
            room.routines.update({
              routineId: routine.id,
              by: theBoard,
              status: paused ? "paused" : "active",
            }),
          );
        else
          await room.run(room.routines.updateTrigger({ triggerId: trigger, by: theBoard, enabled: !paused }));
      };
      await set(true);
      room.setClock("2026-11-21T12:10:00.000Z");
      expect((await room.tick(trigger)) ?? 0).toBe(0);
      room.setClock("2026-11-21T12:10:30.000Z");
      await set(false);
      room.setClock("2026-11-21T12:11:00.000Z");
      expect(await room.tick(trigger)).toBe(1);
      expect(await missedNotes(routine)).toEqual([]);
    },
  );
});

describe("After downtime", () => {
  it("skip_missed fires no missed tick, reports it, and continues", async () => {
    room.setClock(start);
    const routine = await room.routine();
    const trigger = await room.schedule(routine, "0 * * * *");
    room.setClock("2026-11-22T00:30:00.000Z");
    expect(await room.tick(trigger)).toBe(0);
    expect(await missedNotes(routine)).toEqual([
      {
        triggerId: trigger,
        policy: "skip_missed",
        missed: 12,
        fired: 0,
        dropped: 12,
        isAtLeast: false,
        from: "2026-11-21T13:00:00.000Z",
      },
    ]);
    room.setClock("2026-11-22T01:00:00.000Z");
    expect(await room.tick(trigger)).toBe(1);
  });

  it("enqueue_missed_with_cap fires at most 25, oldest first, and reports how many it dropped", async () => {
    room.setClock(start);
    const routine = await room.routine({
      catchUpPolicy: "enqueue_missed_with_cap",
      concurrencyPolicy: "always_enqueue",
    });
    const trigger = await room.schedule(routine, "0 * * * *");
    room.setClock("2026-11-23T12:30:00.000Z");
    expect(await room.tick(trigger)).toBe(25);
    const runs = await runsOf(routine);
    expect(runs.map(({ scheduledFor }) => scheduledFor)).toEqual(
      Array.from({ length: 25 }, (_, n) => addSeconds("2026-11-21T13:00:00.000Z", n * 3600)),
    );
    expect(await missedNotes(routine)).toMatchObject([{ missed: 48, fired: 25, dropped: 23 }]);
    expect(await room.tick(trigger)).toBeNull();
  });

  it("a tick later than an interval still fires if the scheduler was running all the time", async () => {
    room.setClock(start);
    const routine = await room.routine();
    const trigger = await room.schedule(routine, "0 13 * * *");
    room.setClock("2026-11-21T13:02:00.000Z");
    expect(await room.tick(trigger, "2026-11-21T12:59:00.000Z")).toBe(1);
    expect(await missedNotes(routine)).toEqual([]);
  });
});

describe("Across a change of the clock", () => {
  it.each([
    ["Europe/London", "30 1 * * *", "2026-03-28T00:00:00.000Z"],
    ["Europe/London", "30 1 * * *", "2026-10-24T00:00:00.000Z"],
    ["America/New_York", "30 2 * * *", "2026-03-07T04:00:00.000Z"],
    ["America/New_York", "30 1 * * *", "2026-10-31T04:00:00.000Z"],
    ["Australia/Lord_Howe", "45 1 * * *", "2026-04-03T13:00:00.000Z"],
    ["Australia/Lord_Howe", "15 2 * * *", "2026-10-02T13:30:00.000Z"],
    ["Africa/Casablanca", "30 2 * * *", "2026-02-14T00:00:00.000Z"],
    ["Africa/Casablanca", "30 2 * * *", "2026-03-21T00:00:00.000Z"],
  ])("a daily routine in %s at %s fires on each of three days from %s", async (zone, cron, from) => {
    room.setClock(from);
    const routine = await room.routine({ concurrencyPolicy: "always_enqueue" });
    const trigger = await room.schedule(routine, cron, zone);
    for (let quarter = 1; quarter <= 3 * 96; quarter++) {
      room.setClock(addSeconds(from, quarter * 900));
      await room.tick(trigger);
    }
    const days = (await runsOf(routine)).map(({ scheduledFor }) =>
      new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" }).format(
        new Date(scheduledFor!),
      ),
    );
    expect([days.length, new Set(days).size]).toEqual([3, 3]);
  });
});

describe("A clock that leaps two hours ahead and back", () => {
  it.each(["skip_missed", "enqueue_missed_with_cap"] as const)(
    "stops no schedule, and fires no tick twice (%s)",
    async (catchUpPolicy) => {
      room.setClock(start);
      const routine = await room.routine({ catchUpPolicy, concurrencyPolicy: "always_enqueue" });
      const trigger = await room.schedule(routine, "*/10 * * * *");
      const due = () => room.run(room.storage.views.routines.due(room.now(), 1_000));
      const round = async (at: Instant) => {
        room.setClock(at);
        const found = (await due()).includes(trigger);
        const fired = found ? await room.tick(trigger) : null;
        // A tick calculated by the clock that was ahead is found once.
        expect((await due()).includes(trigger)).toBe(false);
        return fired;
      };
      expect(await round("2026-11-21T12:10:00.000Z")).toBe(1);
      await round("2026-11-21T14:15:00.000Z");
      room.setClock("2026-11-21T12:15:00.000Z");
      const ofRoutine = { triggerId: trigger, scheduledFor: "2026-11-21T12:20:00.000Z" };
      const { companyId } = room;
      expect(await room.run(room.routines.companyNextFires({ companyId, count: 100 }))).toContainEqual(
        expect.objectContaining(ofRoutine),
      );
      expect(await round("2026-11-21T12:15:00.000Z")).toBe(0);
      for (const minute of ["20", "30", "40", "50"]) await round(`2026-11-21T12:${minute}:00.000Z`);
      for (const minute of ["00", "10"]) await round(`2026-11-21T13:${minute}:00.000Z`);
      const ticks = (await runsOf(routine)).map(({ scheduledFor }) => scheduledFor);
      expect(ticks).toEqual(
        expect.arrayContaining(
          ["12:10", "12:20", "12:30", "12:40", "12:50", "13:00", "13:10"].map(
            (time) => `2026-11-21T${time}:00.000Z`,
          ),
        ),
      );
      expect(new Set(ticks).size).toBe(ticks.length);
    },
  );
});

describe("The concurrency policy", () => {
  const whileActive = {
    coalesce_if_active: "coalesced",
    skip_if_active: "skipped",
    always_enqueue: "issue_created",
  };

  it.each(Object.entries(whileActive))("%s: a second run is %s", async (policy, status) => {
    room.setClock(start);
    const routine = await room.routine({ concurrencyPolicy: policy as never });
    const first = await room.run(byHand(routine));
    const second = await room.run(byHand(routine));
    expect([first.status, second.status]).toEqual(["issue_created", status]);
    if (status === "issue_created") return expect(second.linkedIssueId).not.toBe(first.linkedIssueId);
    expect(second).toMatchObject({ linkedIssueId: first.linkedIssueId, coalescedIntoRunId: first.id });
  });

  it("lets one of many simultaneous firings make the issue", async () => {
    const routine = await room.routine();
    const runs = await Promise.all(Array.from({ length: 10 }, () => room.run(byHand(routine))));
    expect(runs.map(({ status }) => status).sort()).toEqual([...Array(9).fill("coalesced"), "issue_created"]);
  });

  it.each([
    ["a run ended 14 minutes ago", "2026-11-21T11:46:30.000Z", "todo", "coalesced"],
    ["a run ended 15 minutes ago", "2026-11-21T11:45:30.000Z", "todo", "issue_created"],
    ["it waits for review", "2026-11-21T08:00:00.000Z", "in_review", "coalesced"],
    ["it is blocked", "2026-11-21T08:00:00.000Z", "blocked", "coalesced"],
    ["it is done", "2026-11-21T12:00:00.000Z", "done", "issue_created"],
  ])("with an issue of which %s", async (_, endedAt, status, outcome) => {
    room.setClock(start);
    const routine = await room.routine();
    const first = await room.run(byHand(routine));
    await room.storage.sql`
      update runs set status = 'succeeded', finished_at = ${endedAt} where issue_id = ${first.linkedIssueId}
    `;
    await room.storage.sql`update issues set status = ${status} where id = ${first.linkedIssueId}`;
    expect((await room.run(byHand(routine))).status).toBe(outcome);
  });

  it("counts an interaction that waits for an answer", async () => {
    room.setClock(start);
    const routine = await room.routine();
    const first = await room.run(byHand(routine));
    await room.storage.sql`
      update runs set status = 'succeeded', finished_at = '2026-11-21T08:00:00Z' where issue_id = ${first.linkedIssueId}
    `;
    await room.storage.sql`
      insert into interactions (id, company_id, issue_id, kind, status, continuation_policy, payload, ends_by_comment, created_at, updated_at)
      values (gen_random_uuid(), ${room.companyId}, ${first.linkedIssueId}, 'ask_user_questions', 'pending', 'none', '{}', false, now(), now())
    `;
    expect((await room.run(byHand(routine))).status).toBe("coalesced");
  });
});

describe("A manual run", () => {
  it("is the same run under the same idempotency key, also when requested at once", async () => {
    const routine = await room.routine({ concurrencyPolicy: "always_enqueue" });
    const runs = await Promise.all(
      Array.from({ length: 6 }, () => room.run(byHand(routine, { idempotencyKey: "k" }))),
    );
    expect(new Set(runs.map(({ id }) => id)).size).toBe(1);
    expect(await runsOf(routine)).toHaveLength(1);
  });

  it("counts for the named trigger, which must be enabled and belong to the routine", async () => {
    room.setClock(start);
    const [routine, other] = [await room.routine(), await room.routine()];
    const { trigger } = await room.trigger(routine, { kind: "api" });
    const run = await room.run(byHand(routine, { triggerId: trigger.id }));
    expect(run.triggerId).toBe(trigger.id);
    const [row] = await room.storage.sql`select last_fired_at from routine_triggers where id = ${trigger.id}`;
    expect(row!.lastFiredAt).toBe(start);
    expect(await room.refused(byHand(other, { triggerId: trigger.id }))).toBe("trigger_not_of_routine");
    expect(await room.refused(byHand(other, { triggerId: newId<TriggerId>() }))).toBe(
      "trigger_not_of_routine",
    );
    await room.run(room.routines.updateTrigger({ triggerId: trigger.id, by: theBoard, enabled: false }));
    expect(await room.refused(byHand(routine, { triggerId: trigger.id }))).toBe("trigger_disabled");
    await room.run(room.routines.deleteTrigger({ triggerId: trigger.id, by: theBoard }));
    expect(await room.refused(byHand(routine, { triggerId: trigger.id }))).toBe("trigger_not_of_routine");
  });

  it("fires a paused routine, and never an archived one", async () => {
    const routine = await room.routine({ status: "paused" });
    expect((await room.run(byHand(routine))).status).toBe("issue_created");
    await room.run(room.routines.update({ routineId: routine.id, by: theBoard, status: "archived" }));
    expect(await room.refused(byHand(routine))).toBe("routine_archived");
    for (const status of ["active", "paused"] as const)
      expect(await room.refused(room.routines.update({ routineId: routine.id, by: theBoard, status }))).toBe(
        "routine_archived",
      );
  });

  it("is allowed to its assignee alone among the agents", async () => {
    const routine = await room.routine();
    const as = (agentId: string) =>
      room.routines.run({
        id: newId<RoutineRunId>(),
        routineId: routine.id,
        source: "manual",
        by: byAgent(agentId as never),
      });
    expect(await room.refused(as(newId()))).toBe("forbidden");
    expect((await room.run(as(room.agent.id))).status).toBe("issue_created");
  });
});

describe("A webhook", () => {
  const at = start;
  const seconds = Math.floor(Date.parse(at) / 1000);
  const body = new TextEncoder().encode('{"ref":"main"}');
  const sign = (secret: string, timestamp: string, bytes: Uint8Array = body) => ({
    "x-service-timestamp": timestamp,
    "x-service-signature": createHmac("sha256", secret).update(`${timestamp}.`).update(bytes).digest("hex"),
  });
  const hook = async (signingMode: SigningMode) => {
    room.setClock(at);
    const routine = await room.routine({ concurrencyPolicy: "always_enqueue" });
    const { trigger, secret } = await room.trigger(routine, { kind: "webhook", signingMode });
    const fire = (headers: Record<string, string>, bytes: Uint8Array = body) =>
      room.routines.fireWebhook({
        id: newId<RoutineRunId>(),
        publicId: trigger.publicId!,
        headers,
        body: bytes,
      });
    return { routine, trigger, secret: secret!, fire };
  };
  const outcome = (effect: ReturnType<Awaited<ReturnType<typeof hook>>["fire"]>) =>
    room.run(
      effect.pipe(
        Effect.map(({ status }) => status as string),
        Effect.catch(({ code }) => Effect.succeed(code)),
      ),
    );

  it("in bearer mode accepts only its secret", async () => {
    const { fire, secret } = await hook("bearer");
    expect(secret).toMatch(/^[0-9a-f]{48}$/);
    expect(await outcome(fire({ authorization: `Bearer ${secret}` }))).toBe("issue_created");
    for (const headers of [
      {},
      { authorization: secret },
      { authorization: `Bearer ${secret}0` },
      { authorization: `Bearer ${secret.slice(1)}` },
      { authorization: `Bearer ${"0".repeat(48)}` },
      sign(secret, String(seconds)),
    ] as Record<string, string>[])
      expect(await outcome(fire(headers))).toBe("unauthenticated");
  });

  it("in hmac mode accepts a caller that signs time and bytes with its secret", async () => {
    const { fire, secret } = await hook("hmac_sha256");
    const good = sign(secret, String(seconds));
    expect(await outcome(fire(good))).toBe("issue_created");
    const prefixed = sign(secret, String(seconds - 1));
    prefixed["x-service-signature"] = `sha256=${prefixed["x-service-signature"]}`;
    expect(await outcome(fire(prefixed))).toBe("issue_created");
    expect(await outcome(fire(sign(secret, String(seconds * 1000 - 5))))).toBe("issue_created");
    const tampered = new TextEncoder().encode('{"ref": "main"}');
    const fresh = sign(secret, String(seconds - 2));
    for (const [headers, bytes] of [
      [fresh, tampered],
      [sign("0".repeat(48), String(seconds)), body],
      [{ ...fresh, "x-service-timestamp": String(seconds - 3) }, body],
      [{ "x-service-signature": fresh["x-service-signature"] }, body],
      [{ "x-service-timestamp": fresh["x-service-timestamp"] }, body],
      [{ ...fresh, "x-service-signature": fresh["x-service-signature"].toUpperCase() }, body],
      [{ authorization: `Bearer ${secret}` }, body],
    ] as [Record<string, string>, Uint8Array][])
      expect(await outcome(fire(headers, bytes))).toBe("unauthenticated");
    // None of these requests consumed the signature.
    expect(await outcome(fire(fresh))).toBe("issue_created");
  });

  it.each([
    [-301, "unauthenticated"],
    [-300, "issue_created"],
    [-299, "issue_created"],
    [299, "issue_created"],
    [300, "issue_created"],
    [301, "unauthenticated"],
  ])("signed %i s off: %s", async (off, expected) => {
    const { fire, secret } = await hook("hmac_sha256");
    expect(await outcome(fire(sign(secret, String(seconds + off))))).toBe(expected);
  });

  it("refuses a replay, in sequence and at once, and makes no second run", async () => {
    const { routine, fire, secret } = await hook("hmac_sha256");
    const signed = sign(secret, String(seconds));
    const answers = await Promise.all(Array.from({ length: 5 }, () => outcome(fire(signed))));
    expect(answers.sort()).toEqual(["issue_created", ...Array(4).fill("webhook_replayed")]);
    expect(await outcome(fire(signed))).toBe("webhook_replayed");
    const prefixed = { ...signed, "x-service-signature": `sha256=${signed["x-service-signature"]}` };
    expect(await outcome(fire(prefixed))).toBe("webhook_replayed");
    expect(await runsOf(routine)).toHaveLength(1);
  });

  it("fires once under an Idempotency-Key, even if signed anew", async () => {
    const { routine, fire, secret } = await hook("hmac_sha256");
    const keyed = (timestamp: string) => ({ ...sign(secret, timestamp), "idempotency-key": "delivery-7" });
    const first = await room.run(fire(keyed(String(seconds))));
    const second = await room.run(fire(keyed(String(seconds + 1))));
    expect(second.id).toBe(first.id);
    expect(await runsOf(routine)).toHaveLength(1);
  });

  const hmac = (key: string | Buffer, text: string, encoding: "hex" | "base64" = "hex") =>
    createHmac("sha256", key).update(text).update(body).digest(encoding);
  const keyOf = (secret: string) => Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const stripe = (secret: string, timestamp = seconds) => ({
    "stripe-signature": `t=${timestamp},v1=${hmac(secret, `${timestamp}.`)},v0=${"0".repeat(64)}`,
  });
  const standard = (secret: string, id = "msg_1", timestamp = seconds) => ({
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${hmac(keyOf(secret), `${id}.${timestamp}.`, "base64")}`,
  });
  type Headers = Record<string, string>;
  /** How each sender proves itself, and requests like it that prove nothing. */
  const senders: readonly (readonly [
    sender: string,
    mode: SigningMode,
    proves: (secret: string) => Headers,
    wrong: (secret: string) => readonly Headers[],
  ])[] = [
    [
      "GitLab",
      "gitlab_token",
      (secret) => ({ "x-gitlab-token": secret }),
      (secret): Headers[] => [
        {},
        { "x-gitlab-token": "" },
        { "x-gitlab-token": `${secret}0` },
        { authorization: `Bearer ${secret}` },
      ],
    ],
    [
      "Stripe",
      "stripe",
      stripe,
      (secret) => [
        {},
        stripe(`${secret}0`),
        stripe(secret, seconds - 301),
        stripe(secret, seconds + 301),
        { "stripe-signature": `t=${seconds}` },
        { "stripe-signature": `v1=${hmac(secret, `${seconds}.`)}` },
        { "stripe-signature": `t=${seconds},v0=${hmac(secret, `${seconds}.`)}` },
        { "stripe-signature": `t=${seconds - 1},v1=${hmac(secret, `${seconds}.`)}` },
        { "stripe-signature": `t=${seconds}${`,v1=${"0".repeat(64)}`.repeat(11)}` },
      ],
    ],
    [
      "Standard Webhooks",
      "standard_webhooks",
      standard,
      (secret) => [
        {},
        standard("whsec_AAAA"),
        standard(secret, "msg_1", seconds - 301),
        { ...standard(secret), "webhook-id": "msg_2" },
        { ...standard(secret), "webhook-id": "" },
        { ...standard(secret), "webhook-timestamp": String(seconds - 1) },
        { ...standard(secret), "webhook-signature": standard(secret)["webhook-signature"].slice(3) },
        {
          ...standard(secret),
          "webhook-signature": standard(secret)["webhook-signature"].replace("v1", "v1a"),
        },
      ],
    ],
    ...(
      [
        ["GitHub", "x-hub-signature-256", "sha256=", "hex"],
        ["Bitbucket", "x-hub-signature", "sha256=", "hex"],
        ["Gitea", "x-gitea-signature", "", "hex"],
        ["Linear", "linear-signature", "", "hex"],
        ["Sentry", "sentry-hook-signature", "", "hex"],
        ["Shopify", "x-shopify-hmac-sha256", "", "base64"],
      ] as const
    ).map(
      ([sender, header, before, encoding]) =>
        [
          sender,
          "github_sha256",
          (secret: string) => ({ [header]: `${before}${hmac(secret, "", encoding)}` }),
          (secret: string) => [
            {},
            { [header]: before },
            { [header]: `${before}${hmac(`${secret}0`, "", encoding)}` },
            { [header]: `sha1=${hmac(secret, "", encoding)}` },
          ],
        ] as const,
    ),
  ];

  it.each(senders)(
    "of %s is accepted in %s mode, once where it is signed",
    async (_, mode, proves, wrong) => {
      const { routine, fire, secret } = await hook(mode);
      for (const headers of wrong(secret)) expect(await outcome(fire(headers))).toBe("unauthenticated");
      expect(await outcome(fire(proves(secret)))).toBe("issue_created");
      if (mode === "gitlab_token") return;
      expect(await outcome(fire(proves(secret)))).toBe("webhook_replayed");
      const tampered = new TextEncoder().encode('{"ref":"other"}');
      expect(await outcome(fire(proves(secret), tampered))).toBe("unauthenticated");
      expect(await runsOf(routine)).toHaveLength(1);
    },
  );

  it("is accepted by one of several signatures, while its sender replaces the secret", async () => {
    const old = await hook("stripe");
    const { "stripe-signature": signed } = stripe(old.secret);
    const both = signed.replace(",", `,v1=${"0".repeat(64)},`);
    expect(await outcome(old.fire({ "stripe-signature": both }))).toBe("issue_created");
    expect(await outcome(old.fire({ "stripe-signature": signed }))).toBe("webhook_replayed");
    const { fire, secret } = await hook("standard_webhooks");
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const one = standard(secret);
    const several = `v1a,abc v1,${"A".repeat(43)}= ${one["webhook-signature"]}`;
    expect(await outcome(fire({ ...one, "webhook-signature": several }))).toBe("issue_created");
  });

  it("of Svix is one of Standard Webhooks under its own names", async () => {
    const { fire, secret } = await hook("standard_webhooks");
    const headers = Object.entries(standard(secret)).map(([name, value]) => [
      name.replace("webhook", "svix"),
      value,
    ]);
    expect(await outcome(fire(Object.fromEntries(headers)))).toBe("issue_created");
  });

  it("of Standard Webhooks fires once under its id, even if signed anew", async () => {
    const { routine, fire, secret } = await hook("standard_webhooks");
    const first = await room.run(fire(standard(secret, "msg_7", seconds)));
    expect((await room.run(fire(standard(secret, "msg_7", seconds + 5)))).id).toBe(first.id);
    expect((await room.run(fire(standard(secret, "msg_8", seconds + 5)))).id).not.toBe(first.id);
    expect(await runsOf(routine)).toHaveLength(2);
  });

  it.each([
    ["stripe", `whsec_${"k".repeat(32)}`, stripe],
    ["standard_webhooks", `whsec_${Buffer.alloc(32, 7).toString("base64")}`, standard],
    [
      "github_sha256",
      "a-secret-that-linear-made",
      (secret: string) => ({ "linear-signature": hmac(secret, "") }),
    ],
  ] as const)(
    "in %s mode takes the secret that its sender made, and shows it to nobody",
    async (mode, own, proves) => {
      const { fire, secret, trigger } = await hook(mode);
      const rotated = await room.run(
        room.routines.rotateSecret({ triggerId: trigger.id, secret: Redacted.make(own), by: theBoard }),
      );
      expect(rotated.secret).toBeNull();
      expect(await outcome(fire(proves(secret)))).toBe("unauthenticated");
      expect(await outcome(fire(proves(own)))).toBe("issue_created");
    },
  );

  it("refuses a secret of Standard Webhooks that is no base64 of a key", async () => {
    const { trigger } = await hook("standard_webhooks");
    for (const text of ["not base64 at all", "whsec_AAAA", `whsec_${"A".repeat(31)}`, "a".repeat(200)])
      expect(
        await room.run(
          Effect.flip(
            room.routines.rotateSecret({ triggerId: trigger.id, secret: Redacted.make(text), by: theBoard }),
          ),
        ),
      ).toMatchObject({ code: "trigger_fields_invalid", details: { path: ["secret"] } });
  });

  it.each(["bearer", "hmac_sha256"] as const)(
    "in %s mode refuses the old secret after a rotation",
    async (mode) => {
      const { fire, secret, trigger } = await hook(mode);
      const show = (text: string, timestamp: string): Record<string, string> =>
        mode === "bearer" ? { authorization: `Bearer ${text}` } : sign(text, timestamp);
      const rotated = await room.run(room.routines.rotateSecret({ triggerId: trigger.id, by: theBoard }));
      expect(rotated.secret).not.toBe(secret);
      expect(await outcome(fire(show(secret, String(seconds))))).toBe("unauthenticated");
      expect(await outcome(fire(show(rotated.secret!, String(seconds))))).toBe("issue_created");
    },
  );

  it("is refused if the trigger is disabled or deleted, or the routine is not active", async () => {
    const { routine, fire, secret, trigger } = await hook("bearer");
    const knock = () => outcome(fire({ authorization: `Bearer ${secret}` }));
    const { routines } = room;
    await room.run(routines.updateTrigger({ triggerId: trigger.id, by: theBoard, enabled: false }));
    expect(await knock()).toBe("trigger_disabled");
    await room.run(routines.updateTrigger({ triggerId: trigger.id, by: theBoard, enabled: true }));
    await room.run(routines.update({ routineId: routine.id, by: theBoard, status: "paused" }));
    expect(await knock()).toBe("routine_not_active");
    await room.run(routines.deleteTrigger({ triggerId: trigger.id, by: theBoard }));
    expect(await knock()).toBe("trigger_not_found");
  });

  it("stores its secret encrypted: no row holds the plain text", async () => {
    const { secret, trigger } = await hook("bearer");
    const rows = await room.storage.sql<{ text: string }[]>`
      select to_jsonb(t)::text as text from routine_triggers t where id = ${trigger.id}
      union all
      select snapshot::text from routine_revisions where routine_id = ${trigger.routineId}
      union all
      select details::text from activity where entity_id = ${trigger.routineId}
    `;
    const hex = Buffer.from(secret).toString("hex");
    for (const { text } of rows) expect(text.includes(secret) || text.includes(hex)).toBe(false);
  });
});
