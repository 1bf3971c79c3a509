import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gate } from "../../core/model/runs/gate.ts";
import { belongsToOriginal } from "../../core/model/runs/restored.ts";
import type { ServiceId, UserId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import { claimRuns } from "../../core/runs/claim-runs.ts";
import { mayEndPrograms } from "../../core/runs/may-end-programs.ts";
import { releaseAfterRestore } from "../../core/runs/release-after-restore.ts";
import { tickTimers } from "../../core/runs/tick-timers.ts";
import { aCompany, anAgent, aWakeRequest, newId } from "../support/builders.ts";
import { aRun, openGate, caps as usualCaps } from "../support/nouns.ts";
import { openRoutineRoom, type RoutineRoom } from "../support/routines.ts";
import { contextOf } from "../support/units.ts";
import { localClaims } from "../support/workspaces.ts";

let room: RoutineRoom;
let at: Instant;
const clock = { now: () => at };
const setClock = (instant: Instant) => {
  at = instant;
  room.setClock(instant);
};
beforeAll(async () => {
  room = await openRoutineRoom();
  setClock("2026-11-23T12:00:30.000Z");
});
afterAll(() => room?.close());

const restore = () => room.storage.sql`
  insert into instance_settings (name, value)
  values ('restored', jsonb_build_object('id', 'x', 'heldSince', ${at}::text))
  on conflict (name) do update set value = excluded.value
`;
const by = { kind: "board", userId: newId<UserId>() } as const;
const release = () =>
  Effect.runPromise(releaseAfterRestore(contextOf(room.storage.transactor, clock))({ by }));

describe("The hold of a restored database", () => {
  it("lets no run start, and refuses none", () => {
    expect(gate(aRun(), openGate({ isHeldAsRestored: true }), usualCaps)).toEqual({
      go: false,
      wait: "restored",
    });
  });

  it.each([
    [null, "2026-11-23T10:00:00.000Z", false],
    [{ heldSince: "2026-11-23T10:00:00.000Z", releasedAt: null }, "2026-11-23T12:00:00.000Z", true],
    [
      { heldSince: "2026-11-23T10:00:00.000Z", releasedAt: "2026-11-23T11:00:00.000Z" },
      "2026-11-23T11:00:00.000Z",
      true,
    ],
    [
      { heldSince: "2026-11-23T10:00:00.000Z", releasedAt: "2026-11-23T11:00:00.000Z" },
      "2026-11-23T11:00:00.001Z",
      false,
    ],
  ])("%j: the time %s belongs to the original: %s", (restored, dueAt, expected) => {
    expect(belongsToOriginal(restored, dueAt)).toBe(expected);
  });

  it("lets services end no program, which may be the original's, until the release", async () => {
    const mayEnd = () => Effect.runPromise(mayEndPrograms(contextOf(room.storage.transactor))());
    expect(await mayEnd()).toBe(true);
    await restore();
    expect(await mayEnd()).toBe(false);
    await release();
    expect(await mayEnd()).toBe(true);
    await room.storage.sql`delete from instance_settings where name = 'restored'`;
  });

  it("keeps queued runs waiting in the queue until the release, and then starts them", async () => {
    const { id: companyId } = await aCompany(room.storage);
    const agent = await anAgent(room.storage, { companyId });
    const service = newId<ServiceId>();
    const claim = async () =>
      (
        await Effect.runPromise(
          claimRuns(contextOf(room.storage.transactor, clock))({
            serviceId: service,
            adapterTypes: ["process"],
            ...localClaims,
            limit: 20,
            caps: { instance: 9, company: 9, adapterType: 9 },
          }),
        )
      ).claimed.map(({ run }) => run.agentId);
    await restore();
    await room.storage.run(({ wakes }) => wakes.add(aWakeRequest({ agent, at })));
    expect(await claim()).toEqual([]);
    expect(
      await room.storage.sql`select from runs where agent_id = ${agent.id} and status = 'queued'`,
    ).toHaveLength(1);
    await release();
    expect(await claim()).toEqual([agent.id]);
  });

  it("drops the ticks of timers that were due before the release, and keeps later ones", async () => {
    const { id: companyId } = await aCompany(room.storage);
    const heartbeat = { enabled: true, intervalSec: 30 };
    const agent = await anAgent(room.storage, { companyId, runtimeConfig: { heartbeat } });
    const tick = async (dueAt: Instant) => {
      await room.storage.sql`update agents set next_timer_at = ${dueAt} where id = ${agent.id}`;
      await Effect.runPromise(tickTimers(contextOf(room.storage.transactor, clock))(10));
      return (await room.storage.sql`select from wakes where agent_id = ${agent.id}`).length;
    };
    setClock("2026-11-23T12:10:00.000Z");
    await restore();
    expect(await tick("2026-11-23T12:09:00.000Z")).toBe(0);
    await release();
    setClock("2026-11-23T12:10:05.000Z");
    expect(await tick("2026-11-23T12:09:00.000Z")).toBe(0);
    expect(await tick("2026-11-23T12:10:03.000Z")).toBe(1);
    await room.storage.sql`update agents set next_timer_at = null where id = ${agent.id}`;
  });

  it("drops the ticks of schedules that were due before the release, whatever their policy, and fires later ones", async () => {
    setClock("2026-11-23T12:20:30.000Z");
    const routine = await room.routine({
      concurrencyPolicy: "always_enqueue",
      catchUpPolicy: "enqueue_missed_with_cap",
    });
    const trigger = await room.schedule(routine, "* * * * *");
    const fired = async () =>
      (
        await room.storage.sql<{ scheduledFor: Instant }[]>`
          select scheduled_for from routine_runs where routine_id = ${routine.id} order by scheduled_for
        `
      ).map(({ scheduledFor }) => scheduledFor);
    await restore();
    setClock("2026-11-23T12:25:10.000Z");
    expect(await room.tick(trigger)).toBe(0);
    // The scheduler has not looked since 12:26:00 when the agents are released, and looks again much later.
    setClock("2026-11-23T12:26:30.000Z");
    await release();
    setClock("2026-11-23T12:28:10.000Z");
    await room.tick(trigger);
    expect(await fired()).toEqual(["2026-11-23T12:27:00.000Z", "2026-11-23T12:28:00.000Z"]);
  });

  it("is released once, and only of a database that was restored", async () => {
    const { id: companyId } = await aCompany(room.storage);
    const logged = () => room.storage.sql`
      select actor_id, details, created_at from activity
      where  company_id = ${companyId} and action = 'company.released_after_restore'
    `;
    setClock("2026-11-23T12:30:00.000Z");
    await restore();
    setClock("2026-11-23T12:35:00.000Z");
    const first = await release();
    const entries = [
      {
        actorId: by.userId,
        details: { heldSince: "2026-11-23T12:30:00.000Z" },
        createdAt: first?.releasedAt,
      },
    ];
    expect(await logged()).toEqual(entries);
    setClock("2026-11-23T12:40:00.000Z");
    expect(await release()).toEqual(first);
    expect(await logged()).toEqual(entries);
    await room.storage.sql`delete from instance_settings where name = 'restored'`;
    expect(await release()).toBeNull();
  });
});
