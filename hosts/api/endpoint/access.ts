import {
  type ActionNoun,
  type ActionOf,
  actions,
  maySomewhere,
  type Need,
  refusalOfRole,
} from "../../../core/model/access/actions.ts";
import type { AgentCaller, BoardCaller, Caller } from "../../../core/model/access/caller.ts";
import type { Role } from "../../../core/model/access/roles.ts";
import type { NotAllowed } from "../../../core/model/shared/failure.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { Subject } from "../../../ports/views/access-views.ts";
import type { PathParam } from "./params.ts";

declare const caller: unique symbol;

/**
 * The callers of an endpoint, as data: dispatch enforces it, the API description prints it, the tenancy test
 * enumerates it. Rules that depend on state are decisions of the core.
 */
export interface Access<C extends Caller = Caller> {
  readonly [caller]?: C;
  /** Allows calls without credentials. */
  readonly anyone: boolean;
  /** The lowest board role in the company; `any` needs no company, `admin` an instance admin. */
  readonly board: Role | "any" | "admin" | null;
  /** Allows agents of the company. */
  readonly agent: boolean;
  /** Also allows the metrics token, if the host has one. */
  readonly metricsToken: boolean;
  /** The link in the body identifies the caller; the request's credentials are ignored. */
  readonly link: boolean;
  /** The subject of the call, which determines the company; null if it has none. */
  readonly subject: { readonly noun: Subject; readonly param: PathParam } | null;
  /** Its action in the core's table; null for a read, and for an action that no record lists. */
  readonly action: { readonly noun: ActionNoun; readonly name: string } | null;
  /** An archived company takes the change too. */
  readonly whileArchived: boolean;
  /** A person at a session verifies with their passkey first, if they have one (`refusalOfUnverified`). */
  readonly verified: boolean;
}

const access = <C extends Caller>(
  board: Access["board"],
  agent: boolean,
  subject: Access["subject"] = null,
  anyone = false,
): Access<C> => ({
  anyone,
  board,
  agent,
  metricsToken: false,
  link: false,
  subject,
  action: null,
  whileArchived: false,
  verified: false,
});

/** For what can't be undone, and for what lets somebody else in. */
export const verified = <C extends Caller>(access: Access<C>): Access<C> => ({ ...access, verified: true });

/**
 * Refuses a caller whom the access does not admit in the company; null: of a call in no company. What depends on the state
 * of the record is a decision of the core.
 */
export const refusalOfAccess = (
  access: Pick<Access, "board" | "agent">,
  caller: BoardCaller | AgentCaller,
  companyId: CompanyId | null,
): NotAllowed | null =>
  admitsAnyPerson(access, caller) ? null : refusalOfRole(needOf(access), caller, companyId);

/** Whether the caller can be admitted somewhere. */
export const mayCall = (access: Access, caller: BoardCaller | AgentCaller): boolean =>
  access.anyone || admitsAnyPerson(access, caller) || maySomewhere(needOf(access), caller);

const admitsAnyPerson = ({ board }: Pick<Access, "board">, { kind }: BoardCaller | AgentCaller): boolean =>
  board === "any" && kind === "board";

const needOf = ({ board, agent }: Pick<Access, "board" | "agent">): Need => ({
  board: board === "any" ? "viewer" : board,
  agent,
});

/** No credentials needed. */
export const open = access<Caller>("any", true, null, true);

/** Callers with a link, whatever their credentials. */
export const byLink: Access<Caller> = { ...open, link: true };

/** Every caller with credentials. */
export const signedIn = access<BoardCaller | AgentCaller>("any", true);

export const boardOnly = access<BoardCaller>("any", false);

/** An action of the core's table on the service itself, by instance admins. */
export const actingOnInstance = (action: ActionOf<"instance">): Access<BoardCaller> => ({
  ...access<BoardCaller>(actions.instance[action].board, false),
  action: { noun: "instance", name: action },
});

/** Instance admins, and programs that collect metrics. */
export const adminOrMetrics: Access<BoardCaller> = { ...actingOnInstance("inspect"), metricsToken: true };

export const agentOnly = access<AgentCaller>(null, true);

const company = { noun: "company", param: "companyId" } as const;

/** `/api/companies/{companyId}/…`: board users of that role, and the company's agents. */
export const inCompany = (board: Role) => access<BoardCaller | AgentCaller>(board, true, company);

export const boardInCompany = (board: Role) => access<BoardCaller>(board, false, company);

/** `/api/things/{thingId}`: callers with access to the thing's company; all others get 404. */
export const inCompanyOf = (noun: Exclude<Subject, "company">, board: Role) =>
  access<BoardCaller | AgentCaller>(board, true, { noun, param: `${noun}Id` });

export const boardInCompanyOf = (noun: Exclude<Subject, "company">, board: Role) =>
  access<BoardCaller>(board, false, { noun, param: `${noun}Id` });

/** The callers whom the need admits. */
type CallerOf<N extends Need> = N extends { readonly agent: true } ? BoardCaller | AgentCaller : BoardCaller;

type NeedOf<Noun extends ActionNoun, Action extends ActionOf<Noun>> = (typeof actions)[Noun][Action] & Need;

/**
 * An action of the core's table, by those whom the table names: on the record in the path, or on `within`, where the path
 * names another.
 */
export const acting = <Noun extends ActionNoun, Action extends ActionOf<Noun>>(
  noun: Noun,
  action: Action,
  ...[within = noun as Subject]: Noun extends Subject ? [within?: Subject] : [within: Subject]
): Access<CallerOf<NeedOf<Noun, Action>>> => {
  const { board, agent, whileArchived = false } = actions[noun][action] as Need;
  return {
    ...access<CallerOf<NeedOf<Noun, Action>>>(board, agent, {
      noun: within,
      param: `${within}Id` as PathParam,
    }),
    action: { noun, name: action },
    whileArchived,
  };
};
