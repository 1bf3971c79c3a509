import { withoutPermissions } from "../agents/agent-config.ts";
import type { Trigger } from "../routines/trigger.ts";
import type { AgentId, GoalId, LabelId, ProjectId, RoutineId, SecretId, TriggerId } from "../shared/ids.ts";
import type { CompanyRecords } from "./company-records.ts";
import type { CompanyTemplate, TemplateAgent, TemplateRoutine, TemplateTrigger } from "./company-template.ts";
import { describeConfig } from "./template-config.ts";
import { keysOf } from "./template-keys.ts";

/** A company as its template, and the ids of what the template names. */
export interface DescribedCompany {
  readonly template: CompanyTemplate;
  readonly ids: TemplateIds;
  /** The paths of everything the template omits: settings that may be plaintext secrets, and routines that cannot run. */
  readonly omitted: readonly string[];
}

/** Ids by key. */
export interface TemplateIds {
  readonly labels: ReadonlyMap<string, LabelId>;
  readonly agents: ReadonlyMap<string, AgentId>;
  readonly goals: ReadonlyMap<string, GoalId>;
  readonly projects: ReadonlyMap<string, ProjectId>;
  readonly routines: ReadonlyMap<string, RoutineId>;
  /** By key of the routine, in the order of the template's triggers. */
  readonly triggers: ReadonlyMap<string, readonly TriggerId[]>;
  /** Active ones. */
  readonly secrets: ReadonlyMap<string, SecretId>;
}

export const labelKeyOf = (name: string): string => name.toLowerCase();

/** Returns the records with their keys, and the keys by id. */
const keyed = <A extends { readonly id: string }>(
  records: readonly A[],
  nameOf: (record: A) => string,
  fallback: string,
) => {
  const keys = keysOf(records.map(nameOf), fallback);
  const byId = new Map<string, string>(records.map(({ id }, n) => [id, keys[n]!]));
  return {
    records: records.map((record, n) => ({ ...record, key: keys[n]! })),
    ids: new Map(records.map(({ id }, n): [string, A["id"]] => [keys[n]!, id])),
    keyOf: (id: string | null): string | null => (id === null ? null : (byId.get(id) ?? null)),
  };
};

export const describeCompany = (records: CompanyRecords): DescribedCompany => {
  const { company, labels, secrets, triggers } = records;
  const agents = keyed(records.agents, ({ name }) => name, "agent");
  const goals = keyed(records.goals, ({ title }) => title, "goal");
  const projects = keyed(records.projects, ({ name }) => name, "project");
  const routines = keyed(records.routines, ({ title }) => title, "routine");
  const secretKeys = new Map<string, string>(secrets.map(({ id, key }) => [id, key]));
  const configs = agents.records.map(({ adapterConfig }) =>
    describeConfig(adapterConfig, (id) => secretKeys.get(id) ?? null),
  );
  const carriedOut = routines.records.flatMap((routine) => {
    const { status } = routine;
    const [assignee, project] = [agents.keyOf(routine.assigneeAgentId), projects.keyOf(routine.projectId)];
    if (assignee === null || project === null || status === "archived") return [];
    const own = triggers.filter(({ routineId }) => routineId === routine.id);
    return [{ ...routine, status, assignee, project, goal: goals.keyOf(routine.goalId), triggers: own }];
  });
  const carriedOutKeys = new Set(carriedOut.map(({ key }) => key));
  return {
    omitted: [
      ...agents.records.flatMap(({ key }, n) =>
        configs[n]!.omitted.map((path) => `agents.${key}.adapterConfig.${path}`),
      ),
      ...routines.records.flatMap(({ key }) => (carriedOutKeys.has(key) ? [] : [`routines.${key}`])),
    ],
    template: {
      company: {
        name: company.name,
        description: company.description,
        budgetMonthlyCents: company.budgetMonthlyCents,
        agentCausedRunLimit: company.agentCausedRunLimit,
        runner: company.runner,
        houseRules: records.houseRules?.body || null,
      },
      labels: labels.map(({ name, color }) => ({ name, color })),
      agents: agents.records.map((agent, n) =>
        describeAgent({ ...agent, reportsTo: agents.keyOf(agent.reportsTo) }, configs[n]!),
      ),
      goals: goals.records.map((goal) => ({
        key: goal.key,
        title: goal.title,
        description: goal.description,
        level: goal.level,
        status: goal.status,
        parent: goals.keyOf(goal.parentId),
        owner: agents.keyOf(goal.ownerAgentId),
      })),
      projects: projects.records.map((project) => ({
        key: project.key,
        name: project.name,
        description: project.description,
        status: project.status,
        lead: agents.keyOf(project.leadAgentId),
        targetDate: project.targetDate,
        budgetMonthlyCents: project.budgetMonthlyCents,
      })),
      routines: carriedOut.map(describeRoutine),
    },
    ids: {
      labels: new Map(labels.map(({ id, name }) => [labelKeyOf(name), id])),
      agents: agents.ids,
      goals: goals.ids,
      projects: projects.ids,
      routines: routines.ids,
      triggers: new Map(
        carriedOut.map(({ key, triggers }): [string, readonly TriggerId[]] => [
          key,
          triggers.map(({ id }) => id),
        ]),
      ),
      secrets: new Map(
        secrets
          .filter(({ status }) => status === "active")
          .map(({ key, id }): [string, SecretId] => [key, id]),
      ),
    },
  };
};

/** Of an agent whose manager is named by its key. */
const describeAgent = (
  agent: Omit<TemplateAgent, "instructions" | "skills" | "adapterConfig">,
  { instructions, skills, adapterConfig }: ReturnType<typeof describeConfig>,
): TemplateAgent => ({
  key: agent.key,
  name: agent.name,
  role: agent.role,
  title: agent.title,
  reportsTo: agent.reportsTo,
  capabilities: agent.capabilities,
  instructions,
  skills,
  adapterType: agent.adapterType,
  adapterConfig,
  runtimeConfig: withoutPermissions(agent.runtimeConfig),
  budgetMonthlyCents: agent.budgetMonthlyCents,
  metadata: agent.metadata,
});

/** Of a routine that names others by their keys. */
const describeRoutine = ({
  triggers,
  ...routine
}: Omit<TemplateRoutine, "triggers"> & { readonly triggers: readonly Trigger[] }): TemplateRoutine => ({
  key: routine.key,
  title: routine.title,
  description: routine.description,
  assignee: routine.assignee,
  project: routine.project,
  goal: routine.goal,
  priority: routine.priority,
  status: routine.status,
  concurrencyPolicy: routine.concurrencyPolicy,
  catchUpPolicy: routine.catchUpPolicy,
  triggers: triggers.map(describeTrigger),
});

const describeTrigger = (trigger: Trigger): TemplateTrigger => ({
  kind: trigger.kind,
  label: trigger.label,
  enabled: trigger.enabled,
  ...(trigger.kind === "schedule" && trigger.cronExpression !== null
    ? { cronExpression: trigger.cronExpression, timezone: trigger.timezone ?? "UTC" }
    : {}),
  ...(trigger.kind === "webhook" && trigger.signingMode !== null && trigger.replayWindowSec !== null
    ? { signingMode: trigger.signingMode, replayWindowSec: trigger.replayWindowSec }
    : {}),
});
