import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Span } from "../../ports/telemetry.ts";
import { type Batching, type Stores, storeNames, type Transactor } from "../../ports/transactor.ts";
import {
  type Actor,
  type AgentCaller,
  actorOf,
  type BoardCaller,
  bySystem,
  type RunEnded,
} from "../model/access/caller.ts";
import { type ActivityAction, type ActivityDetails, entryAbout } from "../model/activity/activity-entry.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";
import { recordAct } from "./record-act.ts";
import { requireRunsMayWrite } from "./require-runs-may-write.ts";

/** The work as a span, where it is traced. */
export const spanned = <A, E>(
  { span }: Pick<UseCaseContext, "span">,
  name: string,
  work: Effect.Effect<A, E>,
): Effect.Effect<A, E> => (span === undefined ? work : span(name, work));

/** The dependencies of units of work; `hosts/composition` passes them to each module once. */
export interface UseCaseContext {
  /** Traces the use cases; omitted: nothing is traced. */
  readonly span?: Span | undefined;
  readonly transactor: Transactor;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * One transaction of one actor: its stores, the actor, the time, new ids and the activity log. Everything it writes is
 * committed together; a refusal, a defect or an interruption leaves no trace.
 */
export interface UnitOfWork extends Stores, Ids {
  readonly by: Actor;
  /** The time of its first use, so that it is read behind the locks that the unit waits for. */
  readonly at: Instant;
  /** Adds an entry to the activity log; a person's act also releases quarantined runs (`releasedByAct`). */
  log<Action extends ActivityAction>(
    action: Action,
    about: { readonly companyId: CompanyId; readonly id: string },
    details: ActivityDetails[Action],
  ): Effect.Effect<void>;
}

/** A command that may name who acts, or its caller; the system acts where it names neither. */
type ActorCommand = object & { readonly by?: Actor; readonly caller?: BoardCaller | AgentCaller };

const actorIn = ({ by, caller }: ActorCommand): Actor =>
  by ?? (caller === undefined ? bySystem : actorOf(caller));

/** The steps of a unit of work. */
type Steps<Input extends readonly unknown[], Step extends Effect.Effect<unknown, unknown>, A> = (
  unit: UnitOfWork,
  ...input: Input
) => Generator<Step, A, never>;

/**
 * A use case of one unit of work. Its name appears in stack traces and traces.
 *
 * An agent whose run has ended, or is to be stopped, writes nothing, however long its request waited, and a run neither ends
 * nor is stopped before the commit (`requireRunsMayWrite`).
 */
export const useCase = <Command extends ActorCommand, Step extends Effect.Effect<unknown, unknown>, A>(
  name: string,
  steps: Steps<[command: Command], Step, A>,
) => {
  const run = Effect.fnUntraced(named(name, steps)) as Run<[Command], A, Effect.Error<Step>>;
  return (context: UseCaseContext) => (command: Command) =>
    spanned(
      context,
      name,
      begin(context, actorIn(command), (unit) => run(unit, command)),
    );
};

/** A unit of work of a use case that has several, or does other work between them. It appears under the use case's name. */
export const transact = <Step extends Effect.Effect<unknown, unknown>, A>(
  context: UseCaseContext,
  name: string,
  by: Actor,
  steps: Steps<[], Step, A>,
): Effect.Effect<A, Effect.Error<Step> | RunEnded> =>
  spanned(
    context,
    name,
    begin(context, by, Effect.fnUntraced(named(name, steps)) as Run<[], A, Effect.Error<Step>>),
  );

/** As above, by the system, which has no run that could have ended. */
export const transactAsSystem = <Step extends Effect.Effect<unknown, unknown>, A>(
  context: UseCaseContext,
  name: string,
  steps: Steps<[], Step, A>,
): Effect.Effect<A, Effect.Error<Step>> => {
  const run = Effect.fnUntraced(named(name, steps)) as Run<[], A, Effect.Error<Step>>;
  return spanned(
    context,
    name,
    context.transactor.transact((stores) => run(unitOf(context, stores, bySystem))),
  );
};

/** As `useCase`, by the system, with any input. */
export const systemUseCase = <
  Input extends readonly unknown[],
  Step extends Effect.Effect<unknown, unknown>,
  A,
>(
  name: string,
  steps: Steps<Input, Step, A>,
) => {
  const run = Effect.fnUntraced(named(name, steps)) as Run<Input, A, Effect.Error<Step>>;
  return (context: UseCaseContext) =>
    (...input: Input) =>
      spanned(
        context,
        name,
        context.transactor.transact((stores) => run(unitOf(context, stores, bySystem), ...input)),
      );
};

/** The same unit with another actor. Its time is still that of the unit's first use. */
export const actAs = (unit: UnitOfWork, by: Actor): UnitOfWork =>
  Object.assign(Object.create(unit) as UnitOfWork, { by });

/** As above, for consequences caused by the system. */
export const asSystem = (unit: UnitOfWork): UnitOfWork => actAs(unit, bySystem);

/**
 * As `useCase`, for commands that share a transaction; a refused one has written nothing. They run concurrently, or one after
 * the other (`sequential`), so that each sees what the earlier ones have saved.
 */
export const batchedUseCase = <Command extends ActorCommand, Step extends Effect.Effect<unknown, unknown>, A>(
  name: string,
  { sequential = false, ...batching }: Batching<Command> & { readonly sequential?: boolean },
  steps: Steps<[command: Command], Step, A>,
) => {
  const run = Effect.fnUntraced(named(name, steps)) as Run<[Command], A, Effect.Error<Step>>;
  return (
    context: UseCaseContext,
  ): ((command: Command) => Effect.Effect<A, Effect.Error<Step> | RunEnded>) => {
    const carryOut = context.transactor.transactInBatches(
      batching,
      Effect.fnUntraced(function* (stores, commands) {
        const results = yield* Effect.forEach(
          commands,
          (command) => Effect.result(run(unitOf(context, stores, actorIn(command)), command)),
          { concurrency: sequential ? 1 : "unbounded" },
        );
        const done = commands.filter((_, n) => Result.isSuccess(results[n]!));
        yield* requireRunsMayWrite(stores, done.map(actorIn));
        return results;
      }),
    );
    return (command) => spanned(context, name, carryOut(command));
  };
};

/** As above, for commands that are decided together, by the system, which gives each its own result. */
export const jointUseCase = <Command, Step extends Effect.Effect<unknown, unknown>, A, E>(
  name: string,
  batching: Batching<Command>,
  steps: Steps<[commands: readonly Command[]], Step, readonly Result.Result<A, E>[]>,
) => {
  const run = Effect.fnUntraced(named(name, steps)) as Run<
    [readonly Command[]],
    readonly Result.Result<A, E>[],
    Effect.Error<Step>
  >;
  return (context: UseCaseContext) => {
    const carryOut = context.transactor.transactInBatches(batching, (stores, commands: readonly Command[]) =>
      run(unitOf(context, stores, bySystem), commands),
    );
    return (command: Command) => spanned(context, name, carryOut(command));
  };
};

type Run<Input extends readonly unknown[], A, E> = (unit: UnitOfWork, ...input: Input) => Effect.Effect<A, E>;

const begin = <A, E>(
  context: UseCaseContext,
  by: Actor,
  run: (unit: UnitOfWork) => Effect.Effect<A, E>,
): Effect.Effect<A, E | RunEnded> =>
  context.transactor.transact((stores) =>
    Effect.tap(run(unitOf(context, stores, by)), () => requireRunsMayWrite(stores, [by])),
  );

/** A unit of work in a transaction that has begun already. Nothing checks whether the actor's run may still write. */
export const unitOf = (
  { clock, ids }: Pick<UseCaseContext, "clock" | "ids">,
  stores: Stores,
  by: Actor,
): UnitOfWork => new Unit(stores, by, new FirstUse(clock), ids) as unknown as UnitOfWork;

/** The time at which a unit first asks for it. */
class FirstUse {
  readonly #clock: Clock;
  #at: Instant | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get at(): Instant {
    this.#at ??= this.#clock.now();
    return this.#at;
  }
}

/** Has a getter for each store: to copy the stores into a unit takes longer than most use cases compute. */
class Unit {
  readonly stores: Stores;
  readonly by: Actor;
  readonly firstUse: FirstUse;
  readonly ids: Ids;

  constructor(stores: Stores, by: Actor, firstUse: FirstUse, ids: Ids) {
    this.stores = stores;
    this.by = by;
    this.firstUse = firstUse;
    this.ids = ids;
  }

  get at(): Instant {
    return this.firstUse.at;
  }

  newId() {
    return this.ids.newId<string>();
  }

  log(action: ActivityAction, about: { companyId: CompanyId; id: string }, details: never) {
    return recordAct(this.stores, entryAbout(about, this.by, this.at, action, details));
  }
}

for (const name of storeNames)
  Object.defineProperty(Unit.prototype, name, {
    get(this: Unit) {
      return this.stores[name];
    },
  });

/** Stack traces show the current name of a function, not its declared one. */
const named = <F extends (...input: never[]) => unknown>(name: string, steps: F): F =>
  Object.defineProperty(steps, "name", { value: name });
