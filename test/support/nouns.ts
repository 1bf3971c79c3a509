import fc from "fast-check";
import type { Actor, BoardCaller } from "../../core/model/access/caller.ts";
import { type Agent, newAgent } from "../../core/model/agents/agent.ts";
import type { AgentConfig } from "../../core/model/agents/agent-config.ts";
import type { Company } from "../../core/model/companies/company.ts";
import type { Mentionable } from "../../core/model/issues/comments/mentions.ts";
import type { CheckOut, Issue } from "../../core/model/issues/issue.ts";
import type { Caps, GateFacts } from "../../core/model/runs/gate.ts";
import type { Run, RunOutcome } from "../../core/model/runs/run.ts";
import type { AgentId, CompanyId, Id, IssueId, RunId, TokenId, UserId } from "../../core/model/shared/ids.ts";

/** Returns the same readable UUID for the same number: `id<AgentId>(7)` ends in …007. */
export const id = <T extends Id<string>>(n: number): T =>
  `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}` as T;

/** The time before a decision; decisions happen at `now`. */
export const earlier = "2026-01-30T08:00:00.000Z";
export const now = "2026-01-31T12:00:00.000Z";
export const later = "2026-01-31T13:00:00.000Z";

export const acme = id<CompanyId>(0xc0);
export const ada = id<AgentId>(0xa1);
export const bob = id<AgentId>(0xa2);
export const eve = id<UserId>(0xb1);
export const firstRun = id<RunId>(0xe1);
export const secondRun = id<RunId>(0xe2);
export const theIssue = id<IssueId>(0x11);

export const boardUserId = id<UserId>(0xb0);
export const theBoard: Actor = { kind: "board", userId: boardUserId };

/** An instance admin who reads. */
export const anAdmin: BoardCaller = {
  kind: "board",
  userId: boardUserId,
  name: "Board",
  admin: true,
  roles: new Map(),
  tokenId: boardUserId as string as TokenId,
  session: false,
};
export const byAgent = (agentId: AgentId, runId: RunId | null = null): Actor => ({
  kind: "agent",
  agentId,
  runId,
});

export const aCompany = (fields: Partial<Company> = {}): Company => ({
  id: acme,
  name: "Acme",
  description: null,
  status: "active",
  issuePrefix: "ACM",
  budgetMonthlyCents: 0,
  heldByBudgetAt: null,
  runner: null,
  agentCausedRunLimit: 30,
  createdAt: earlier,
  updatedAt: earlier,
  ...fields,
});

export const aConfig = (fields: Partial<AgentConfig> = {}): AgentConfig => ({
  name: "Ada",
  role: "engineer",
  title: null,
  reportsTo: null,
  capabilities: null,
  adapterType: "process",
  adapterConfig: {},
  runtimeConfig: {},
  budgetMonthlyCents: 0,
  metadata: null,
  ...fields,
});

export const anAgent = (fields: Partial<Agent> = {}): Agent => ({
  ...newAgent({
    ...aConfig(),
    grantedPaths: [],
    id: ada,
    companyId: acme,
    lifecycleState: "active",
    at: earlier,
  }),
  ...fields,
});

export const anIssue = (fields: Partial<Issue> = {}): Issue => ({
  id: theIssue,
  companyId: acme,
  identifier: "ACM-1",
  title: "Write the tests",
  description: null,
  status: "todo",
  priority: "medium",
  assigneeAgentId: null,
  assigneeUserId: null,
  checkoutRunId: null,
  heldSince: null,
  parentId: null,
  projectId: null,
  goalId: null,
  routineId: null,
  billingCode: null,
  createdByAgentId: null,
  createdByUserId: null,
  startedAt: null,
  completedAt: null,
  verifiedAt: null,
  cancelledAt: null,
  lastActivityAt: earlier,
  createdAt: earlier,
  updatedAt: earlier,
  ...fields,
});

/** An issue that an agent works on in a run. */
export const anIssueHeldBy = (agentId: AgentId, runId: RunId | null, fields: Partial<Issue> = {}): Issue =>
  anIssue({
    status: "in_progress",
    assigneeAgentId: agentId,
    checkoutRunId: runId,
    heldSince: earlier,
    startedAt: earlier,
    ...fields,
  });

export const aClaim = (fields: Partial<CheckOut> = {}): CheckOut => ({
  agentId: ada,
  runId: firstRun,
  expectedStatuses: ["todo"],
  holderIsActive: false,
  openBlockers: [],
  at: now,
  ...fields,
});

export const aRun = (fields: Partial<Run> = {}): Run => ({
  id: firstRun,
  companyId: acme,
  agentId: ada,
  issueId: theIssue,
  adapterType: "process",
  status: "running",
  wakeReason: "issue_assigned",
  invocationSource: "assignment",
  context: {},
  retryOfRunId: null,
  serviceId: null,
  runner: null,
  process: null,
  stopRequestedAt: null,
  stopReason: null,
  takesMessages: false,
  takesInterrupt: false,
  notBefore: null,
  startedAt: earlier,
  createdAt: earlier,
  ...fields,
});

export const anOutcome = (fields: Partial<RunOutcome> = {}): RunOutcome => ({
  exitCode: 0,
  signal: null,
  timedOut: false,
  errorMessage: null,
  errorCode: null,
  ...fields,
});

/** Facts with which the gate lets any run start. */
export const openGate = (fields: Partial<GateFacts> = {}): GateFacts => ({
  company: "active",
  at: now,
  agent: anAgent(),
  issue: anIssue({ assigneeAgentId: ada }),
  projectHeldByBudgetAt: null,
  running: { instance: 0, company: 0, adapterType: 0, agent: 0 },
  accountHeldUntil: null,
  recent: { ofCause: 0, ofIssue: 0, byAgents: 0 },
  agentCausedRunLimit: 30,
  isElsewhere: false,
  isBeingStopped: false,
  notBefore: null,
  isHeldAsRestored: false,
  ...fields,
});

export const caps: Caps = { instance: 8, company: 6, adapterType: 4 };

export const aMentionable = (name: string, agentId: AgentId, urlKey = ""): Mentionable => ({
  id: agentId,
  name,
  urlKey,
});

/** A JSON object with arbitrary keys, including `__proto__`. */
export const anyJsonObject = (): fc.Arbitrary<Record<string, unknown>> =>
  fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "env")),
    fc.jsonValue(),
    { noNullPrototype: true },
  ) as fc.Arbitrary<Record<string, unknown>>;
