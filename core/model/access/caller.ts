import * as Result from "effect/Result";
import type { Agent } from "../agents/agent.ts";
import { refusal } from "../shared/failure.ts";
import type { AgentId, CompanyId, RunId, TokenId, UserId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { AssistantScope } from "./assistant-scope.ts";
import type { Role } from "./roles.ts";

/** The sender of a request. Known before the request is parsed; the declaration and the core decide what it may do. */
export type Caller = BoardCaller | AgentCaller | Anyone;

/** A request may have an id of its caller's, by which the caller recognises the events of what it did. */
interface Named {
  readonly requestId?: string | undefined;
}

/** A human operator. */
export interface BoardCaller extends Named {
  readonly kind: "board";
  readonly userId: UserId;
  readonly name: string;
  /** Instance admin: every company, users, adapters. */
  readonly admin: boolean;
  readonly roles: ReadonlyMap<CompanyId, Role>;
  readonly tokenId: TokenId;
  /** Signed in by session cookie: mutations need the CSRF token. */
  readonly session: boolean;
  /** Of a session whose person has a passkey: when they last verified with one in it; null: never. */
  readonly verification?: { readonly lastAt: Instant | null };
  /** The assistant by which the person calls; omitted: they call themselves. */
  readonly assistant?: { readonly name: string; readonly scopes: readonly AssistantScope[] };
}

/** An agent, by the token of a live run or by a long-lived key. */
export interface AgentCaller extends Named {
  readonly kind: "agent";
  readonly agentId: AgentId;
  readonly companyId: CompanyId;
  readonly name: string;
  /** The run it acts in; null for a long-lived key outside a run. */
  readonly runId: RunId | null;
  /** The facts of its own that decide whether it may be started. */
  readonly self: Pick<Agent, "lifecycleState" | "heldManuallyAt" | "heldByBudgetAt" | "runtimeConfig">;
}

export interface Anyone {
  readonly kind: "anyone";
}

export const anyone: Anyone = { kind: "anyone" };

/** The caller as stored in wakes, activity and authorship. */
export type Actor =
  | (Named & {
      readonly kind: "board";
      readonly userId: UserId;
      /** The assistant that acts for the person; omitted: they act themselves. */
      readonly assistant?: BoardCaller["assistant"];
    })
  | (Named & { readonly kind: "agent"; readonly agentId: AgentId; readonly runId: RunId | null })
  | { readonly kind: "system" };

export const actorOf = (caller: BoardCaller | AgentCaller): Actor => {
  const { requestId } = caller;
  if (caller.kind === "agent")
    return { kind: "agent", agentId: caller.agentId, runId: caller.runId, requestId };
  const { userId, assistant } = caller;
  return { kind: "board", userId, requestId, ...(assistant === undefined ? {} : { assistant }) };
};

export const bySystem: Actor = { kind: "system" };

/** The agent that acted; null for a person or the system. */
export const actingAgent = (by: Actor): AgentId | null => (by.kind === "agent" ? by.agentId : null);

/** The board user who acted; null for an agent or the system. */
export const actingUser = (by: Actor): UserId | null => (by.kind === "board" ? by.userId : null);

/** The run in which an agent acted. */
export const actingRun = (by: Actor): RunId | null => (by.kind === "agent" ? by.runId : null);

/** The id that its caller gave the request. */
export const requestOf = (by: Actor): string | null => (by.kind === "system" ? null : (by.requestId ?? null));

/** The name of the assistant that acted for a person; null: nobody acted for them. */
export const actingAssistant = (by: Actor): string | null =>
  by.kind === "board" ? (by.assistant?.name ?? null) : null;

/** The author of a record; at most one of the two is set. */
export const authorOf = (by: Actor) => ({
  createdByAgentId: actingAgent(by),
  createdByUserId: actingUser(by),
});

export const roleIn = (caller: BoardCaller, companyId: CompanyId): Role | null =>
  caller.admin ? "owner" : (caller.roles.get(companyId) ?? null);

/** The companies that the caller may access; null: all. */
export const companiesOf = (caller: BoardCaller | AgentCaller): readonly CompanyId[] | null => {
  if (caller.kind === "agent") return [caller.companyId];
  return caller.admin ? null : [...caller.roles.keys()];
};

export class Unauthenticated extends refusal(
  "unauthenticated",
  "unauthenticated",
  "Missing or invalid credentials.",
) {}

export class RequestIdMalformed extends refusal(
  "validation_error",
  "invalid",
  "X-Service-Request-Id must be 1 to 64 letters, digits, dots, dashes or underscores.",
) {}

export class RunEnded extends refusal("run_ended", "unauthenticated", "This token's run has ended.") {}

/** Once a stop has been requested, the token reads until the run has ended. */
export const stopRequested = "This run is being stopped. Its token can read, but no longer write.";

export class RunNotYours extends refusal(
  "run_not_yours",
  "forbidden",
  "X-Service-Run-Id must name one of your live runs.",
) {}

export class RunIdMismatch extends refusal(
  "run_id_mismatch",
  "unprocessable",
  "X-Service-Run-Id doesn't match the token's run. Omit the header or send the token's run.",
) {}

export class RunIdRequired extends refusal(
  "run_id_required",
  "invalid",
  "Agents can do this only during a run. Send the run's id in X-Service-Run-Id.",
) {}

/** Returns why an agent outside a run is refused, or null. People and the system need none. */
export const refusalWithoutRun = (by: Actor): RunIdRequired | null =>
  by.kind === "agent" && by.runId === null ? new RunIdRequired() : null;

/** Refuses an agent outside a run. */
export const requireRun = (by: Actor): Result.Result<void, RunIdRequired> => {
  const refused = refusalWithoutRun(by);
  return refused === null ? Result.void : Result.fail(refused);
};

export type CredentialRefusal = Unauthenticated | RunEnded | RunNotYours | RunIdMismatch;
