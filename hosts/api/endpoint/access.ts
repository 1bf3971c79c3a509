import type { AgentCaller, BoardCaller, Caller } from "../../../core/access/caller.ts";
import type { Role } from "../../../core/access/roles.ts";
import type { Subject } from "../../../ports/views/access-views.ts";
import type { PathParam } from "./params.ts";

declare const caller: unique symbol;

/**
 * Who may call an endpoint at all, as data: dispatch enforces it, the API description prints it, the tenancy test
 * enumerates it. What depends on state is a decision of the core.
 */
export interface Access<C extends Caller = Caller> {
  readonly [caller]?: C;
  /** Without credentials. */
  readonly anyone: boolean;
  /** The weakest board role that will do in the company; `any` needs no company, `admin` an instance admin. */
  readonly board: Role | "any" | "admin" | null;
  /** Agents of the company. */
  readonly agent: boolean;
  /** Also whoever has the token for metrics, of a host that has been given one. */
  readonly metricsToken: boolean;
  /** The caller is whom the link in the body is for: credentials of the request do not count. */
  readonly link: boolean;
  /** What the call is about, and so which company; null where it concerns none. */
  readonly subject: { readonly noun: Subject; readonly param: PathParam } | null;
}

const access = <C extends Caller>(
  board: Access["board"],
  agent: boolean,
  subject: Access["subject"] = null,
  anyone = false,
): Access<C> => ({ anyone, board, agent, metricsToken: false, link: false, subject });

/** No credentials needed. */
export const open = access<Caller>("any", true, null, true);

/** Whoever has a link, whoever they were before. */
export const byLink: Access<Caller> = { ...open, link: true };

/** Anybody with credentials. */
export const signedIn = access<BoardCaller | AgentCaller>("any", true);

export const boardOnly = access<BoardCaller>("any", false);

export const adminOnly = access<BoardCaller>("admin", false);

/** Instance admins, and programs that collect metrics. */
export const adminOrMetrics: Access<BoardCaller> = { ...adminOnly, metricsToken: true };

export const agentOnly = access<AgentCaller>(null, true);

const company = { noun: "company", param: "companyId" } as const;

/** `/api/companies/{companyId}/…`: board users of that role, and the company's agents. */
export const inCompany = (board: Role) => access<BoardCaller | AgentCaller>(board, true, company);

export const boardInCompany = (board: Role) => access<BoardCaller>(board, false, company);

/** `/api/things/{thingId}`: whoever may see the thing's company; for all others it is not there. */
export const inCompanyOf = (noun: Exclude<Subject, "company">, board: Role) =>
  access<BoardCaller | AgentCaller>(board, true, { noun, param: `${noun}Id` });

export const boardInCompanyOf = (noun: Exclude<Subject, "company">, board: Role) =>
  access<BoardCaller>(board, false, { noun, param: `${noun}Id` });
