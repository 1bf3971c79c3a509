import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { aesCipher } from "../../adapters-infra/local/aes-cipher.ts";
import { cronerCalendar } from "../../adapters-infra/local/croner-calendar.ts";
import { loadMasterKey } from "../../adapters-infra/local/master-key.ts";
import { uuidIds } from "../../adapters-infra/local/uuid-ids.ts";
import { webhookSigning } from "../../adapters-infra/local/webhook-signing.ts";
import { recordFingerprint } from "../../adapters-infra/postgres/key-fingerprint.ts";
import type { Routine } from "../../core/model/routines/routine.ts";
import type { TriggerWithSecret } from "../../core/model/routines/trigger.ts";
import type { CompanyId, ProjectId, RoutineId, TriggerId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { AddTrigger } from "../../core/routines/add-trigger.ts";
import type { CreateRoutine } from "../../core/routines/create-routine.ts";
import { type Routines, routines } from "../../core/routines/index.ts";
import { projects } from "../../core/work/projects/index.ts";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import { aCompany, anAgent, newId, openTestStorage, type TestStorage } from "./builders.ts";
import { boardUserId, theBoard } from "./nouns.ts";

/** The routines of a company on a real database, with a settable clock. */
export interface RoutineRoom {
  readonly storage: TestStorage;
  readonly routines: Routines;
  readonly companyId: CompanyId;
  readonly agent: AgentInCompany;
  readonly projectId: ProjectId;
  setClock(at: Instant): void;
  now(): Instant;
  routine(fields?: Partial<CreateRoutine>): Promise<Routine>;
  trigger(
    routine: Routine,
    fields: Partial<AddTrigger> & Pick<AddTrigger, "kind">,
  ): Promise<TriggerWithSecret>;
  schedule(routine: Routine, cronExpression: string, timezone?: string): Promise<TriggerId>;
  /** Fires all due ticks; returns their number. */
  tick(triggerId: TriggerId, atWorkSince?: Instant): Promise<number | null>;
  run<A, E>(effect: Effect.Effect<A, E>): Promise<A>;
  /** Returns the code of the refusal. */
  refused<A, E extends { readonly code: string }>(effect: Effect.Effect<A, E>): Promise<string>;
  close(): Promise<void>;
}

export const openRoutineRoom = async (): Promise<RoutineRoom> => {
  const storage = await openTestStorage();
  // The creator of an issue watches it.
  await storage.sql`insert into board_users (id, name, created_at) values (${boardUserId}, 'Board', now())`;
  const directory = await mkdtemp(join(tmpdir(), "boardroom-keys-"));
  const ring = await Effect.runPromise(
    loadMasterKey({ fromEnvironment: null, path: join(directory, "master.key"), expected: null }),
  );
  await Effect.runPromise(recordFingerprint(storage.sql, ring.current.fingerprint));
  let at: Instant = "2026-11-21T12:00:30.000Z";
  const clock = { now: () => at };
  const doors = routines(
    { transactor: storage.transactor, clock, ids: uuidIds },
    cronerCalendar(),
    aesCipher(ring),
    webhookSigning,
    storage.views,
  );
  const { id: companyId } = await aCompany(storage);
  const agent = await anAgent(storage, { companyId });
  const run = Effect.runPromise;
  const { id: projectId } = await run(
    projects({ transactor: storage.transactor, clock, ids: uuidIds }, storage.views).create({
      id: newId<ProjectId>(),
      companyId,
      by: theBoard,
      name: "P",
    }),
  );
  const trigger: RoutineRoom["trigger"] = (routine, fields) =>
    run(doors.addTrigger({ id: newId<TriggerId>(), routineId: routine.id, by: theBoard, ...fields }));
  return {
    storage,
    routines: doors,
    companyId,
    agent,
    projectId,
    setClock: (instant) => {
      at = instant;
    },
    now: clock.now,
    routine: (fields = {}) =>
      run(
        doors.create({
          id: newId<RoutineId>(),
          companyId,
          by: theBoard,
          title: "Sweep",
          assigneeAgentId: agent.id,
          projectId,
          ...fields,
        }),
      ),
    trigger,
    schedule: async (routine, cronExpression, timezone = "UTC") =>
      (await trigger(routine, { kind: "schedule", cronExpression, timezone })).trigger.id,
    tick: (triggerId, atWorkSince) => run(doors.tick({ triggerId, atWorkSince })),
    run,
    refused: (effect) =>
      run(
        effect.pipe(
          Effect.map(() => "not refused"),
          Effect.catch(({ code }) => Effect.succeed(code)),
        ),
      ),
    close: async () => {
      await storage.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
