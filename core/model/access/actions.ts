import { NotAllowed } from "../shared/failure.ts";
import type { CompanyId } from "../shared/ids.ts";
import { type AgentCaller, type BoardCaller, roleIn } from "./caller.ts";
import { atLeast, type Role, roles } from "./roles.ts";

/** The callers that may do something to a record of a company, whatever its state. */
export interface Need {
  /** The weakest role of a person; `admin`: an instance admin; null: no person. */
  readonly board: Role | "admin" | null;
  /** Whether the company's agents may. */
  readonly agent: boolean;
  /** Allowed in an archived company too. */
  readonly whileArchived?: true;
  /** The need of the call, where its verb asks for the stronger one: an archived company refuses in between. */
  readonly ofCall?: Need;
}

const members = { board: "viewer", agent: false } as const satisfies Need;
const membersAndAgents = { board: "viewer", agent: true } as const satisfies Need;
const operators = { board: "operator", agent: false } as const satisfies Need;
const operatorsAndAgents = { board: "operator", agent: true } as const satisfies Need;
const admins = { board: "admin", agent: false } as const satisfies Need;
const owners = { board: "owner", agent: false } as const satisfies Need;

/**
 * The actions on each kind of record, and the callers that may take them. The declarations of endpoints take their access from here, and
 * the records say with the same table what their reader may do.
 */
export const actions = {
  /** The service itself, which belongs to no company. */
  instance: {
    createCompany: admins,
    manageUsers: admins,
    manageAdapters: admins,
    /** Its health, hosts and runners. */
    inspect: admins,
    rotateMasterKey: admins,
    /** Of a database that was restored from a backup. */
    releaseAgents: admins,
    backUp: admins,
  },
  company: {
    update: owners,
    pause: operators,
    resume: { ...operators, whileArchived: true },
    archive: owners,
    /** Of its agents and projects; its own is changed with the company. */
    setBudgets: operators,
    manageMembers: owners,
    manageGrants: owners,
    createIssue: operatorsAndAgents,
    updateIssues: operators,
    createAgent: operators,
    requestHire: operatorsAndAgents,
    requestApproval: operatorsAndAgents,
    createProject: operatorsAndAgents,
    writeGoals: operatorsAndAgents,
    archiveGoals: operators,
    createLabel: operatorsAndAgents,
    deleteLabels: operators,
    createRoutine: operatorsAndAgents,
    manageSecrets: operators,
    /** Adds, changes and removes them. */
    manageMcpServers: operators,
    /** Sends its events to addresses outside. */
    manageEventSubscriptions: operators,
    reportCost: operatorsAndAgents,
    testEnvironment: operators,
    /** It may change everything that an owner may. */
    applyTemplate: owners,
  },
  issue: {
    update: operatorsAndAgents,
    /** By people also with unmet gates, which they override. */
    finish: operatorsAndAgents,
    /** By an agent for itself; by people for the assigned agent, or for any agent if it is unassigned. */
    checkout: operatorsAndAgents,
    release: operatorsAndAgents,
    comment: operatorsAndAgents,
    /** Of others; everybody changes their own. */
    changeComments: { ...owners, ofCall: operatorsAndAgents },
    watch: members,
    writeDocument: operatorsAndAgents,
    deleteDocument: operators,
    attach: operatorsAndAgents,
    createCard: operatorsAndAgents,
    /** Merges its work into the default branches; an agent needs a grant. */
    merge: operatorsAndAgents,
    /** Those that one of its gates names. */
    review: operatorsAndAgents,
    /** Gives it gates of its own. An agent that could would choose what proves its work. */
    manageGates: operators,
    linkApproval: operatorsAndAgents,
    /** For its assignee; for any agent, or the asking one, if it is unassigned. */
    invoke: operatorsAndAgents,
  },
  interaction: {
    accept: operators,
    reject: operators,
    respond: operators,
    cancel: operatorsAndAgents,
  },
  agent: {
    update: operatorsAndAgents,
    pause: operators,
    resume: operators,
    invoke: operatorsAndAgents,
    terminate: operators,
    rollback: operators,
    syncSkills: operators,
    manageKeys: operators,
    releaseWorkspace: operators,
  },
  run: {
    cancel: operators,
    say: operators,
    interrupt: operators,
    retry: operators,
    /** Of its agent, for its issue. */
    invoke: operatorsAndAgents,
  },
  approval: {
    approve: membersAndAgents,
    reject: membersAndAgents,
    requestRevision: membersAndAgents,
    resubmit: operatorsAndAgents,
    comment: operatorsAndAgents,
  },
  project: {
    update: operatorsAndAgents,
    createIssue: operatorsAndAgents,
    setBudget: operatorsAndAgents,
    archive: operators,
    /** Adds, changes and removes them. */
    manageRepositories: operators,
    manageGates: operators,
  },
  /** Of an issue. */
  workspace: {
    restore: operators,
    remove: operators,
    /** Deletes it, with everything that is in no branch or was not captured. */
    abandon: operators,
  },
  routine: {
    update: operatorsAndAgents,
    activate: operatorsAndAgents,
    run: operatorsAndAgents,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Need>>>>;

/** A kind of record that says what its reader may do. */
export type ActionNoun = keyof typeof actions;

export type ActionOf<Noun extends ActionNoun> = keyof (typeof actions)[Noun] & string;

/** Names those who may, in a sentence. */
const whoMay = ({ board, agent }: Need): string => {
  if (board === null) return "Only agents can do this.";
  if (board === "admin") return "Only instance admins can do this.";
  const enough = roles.filter((role) => atLeast(role, board));
  if (agent && enough.length === roles.length) return "Only members of the company can do this.";
  return enough.length === roles.length
    ? "Only people can do this."
    : `Only ${enough.map((role) => `${role}s`).join(" and ")} of the company can do this.`;
};

const mayPerson = ({ board }: Need, caller: BoardCaller, companyId: CompanyId | null): boolean => {
  if (board === null) return false;
  if (board === "admin") return caller.admin;
  return companyId !== null && atLeast(roleIn(caller, companyId), board);
};

/** Whether the caller has the role in some company, or without one. What depends on the record is decided with it. */
export const maySomewhere = (need: Need, caller: BoardCaller | AgentCaller): boolean => {
  if (caller.kind === "agent") return need.agent;
  if (caller.admin) return need.board !== null;
  return [...caller.roles.keys()].some((companyId) => mayPerson(need, caller, companyId));
};

/** Refuses a caller who lacks the role in the company, and names it. null: for what belongs to no company. */
export const refusalOfRole = (
  need: Need,
  caller: BoardCaller | AgentCaller,
  companyId: CompanyId | null,
): NotAllowed | null => {
  const mayDo = caller.kind === "agent" ? need.agent : mayPerson(need, caller, companyId);
  return mayDo ? null : new NotAllowed(undefined, whoMay(need));
};
