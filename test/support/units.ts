import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { type UnitOfWork, type UseCaseContext, unitOf } from "../../core/access/unit-of-work.ts";
import { type Actor, bySystem } from "../../core/model/access/caller.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { newId } from "./builders.ts";

const ids = { newId };

/** The context of use cases, with new ids. */
export const contextOf = (transactor: Transactor, clock: Clock = systemClock): UseCaseContext => ({
  transactor,
  clock,
  ids,
});

/** A unit of work in the test's own transaction, at a time of its choice. */
export const unitAt = (stores: Stores, at: Instant, by: Actor = bySystem): UnitOfWork =>
  unitOf({ clock: { now: () => at }, ids }, stores, by);
