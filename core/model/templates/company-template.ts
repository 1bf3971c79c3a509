import type { RuntimeConfig } from "../agents/agent-config.ts";
import type { GoalLevel, GoalStatus } from "../goals/goal.ts";
import type { Priority } from "../issues/issue-status.ts";
import type { ProjectStatus } from "../projects/project.ts";
import type { CatchUpPolicy, ConcurrencyPolicy, RoutineStatus } from "../routines/routine.ts";
import type { SigningMode, TriggerKind } from "../routines/trigger.ts";

/**
 * A company without its history, ids and secret values: it can be stored as text, applied to the same company again, or made
 * into a new one. Records refer to each other by keys derived from their names.
 */
export interface CompanyTemplate {
  readonly company: TemplateCompany;
  readonly labels: readonly TemplateLabel[];
  readonly agents: readonly TemplateAgent[];
  readonly goals: readonly TemplateGoal[];
  readonly projects: readonly TemplateProject[];
  readonly routines: readonly TemplateRoutine[];
}

/** A template without its name, which identifies the company and is not a state to be restored. */
export interface TemplateCompany {
  readonly name: string;
  readonly description: string | null;
  readonly budgetMonthlyCents: number;
  readonly agentCausedRunLimit: number;
  readonly runner: string | null;
  /** null: it has none. */
  readonly houseRules: string | null;
}

/** Its key is its name in lower case. */
export interface TemplateLabel {
  readonly name: string;
  readonly color: string | null;
}

export interface TemplateAgent {
  readonly key: string;
  readonly name: string;
  readonly role: string;
  readonly title: string | null;
  /** Key of an agent. */
  readonly reportsTo: string | null;
  readonly capabilities: string | null;
  /** `instructions` of its adapter's settings. */
  readonly instructions: string | null;
  /** `desiredSkills` of its adapter's settings. */
  readonly skills: readonly string[];
  readonly adapterType: string;
  /** Without instructions and skills. A variable is a text, or names a secret: `{ secret: key }`. */
  readonly adapterConfig: Readonly<Record<string, unknown>>;
  readonly runtimeConfig: Omit<RuntimeConfig, "alwaysAllow">;
  readonly budgetMonthlyCents: number;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export interface TemplateGoal {
  readonly key: string;
  readonly title: string;
  readonly description: string | null;
  readonly level: GoalLevel;
  readonly status: GoalStatus;
  /** Key of a goal. */
  readonly parent: string | null;
  /** Key of an agent. */
  readonly owner: string | null;
}

export interface TemplateProject {
  readonly key: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: ProjectStatus;
  /** Key of an agent. */
  readonly lead: string | null;
  readonly targetDate: string | null;
  readonly budgetMonthlyCents: number;
}

export interface TemplateRoutine {
  readonly key: string;
  readonly title: string;
  readonly description: string | null;
  /** Key of an agent. */
  readonly assignee: string;
  /** Key of a project. */
  readonly project: string;
  /** Key of a goal. */
  readonly goal: string | null;
  readonly priority: Priority;
  readonly status: Exclude<RoutineStatus, "archived">;
  readonly concurrencyPolicy: ConcurrencyPolicy;
  readonly catchUpPolicy: CatchUpPolicy;
  /** Known by kind and label. */
  readonly triggers: readonly TemplateTrigger[];
}

/** Only with the fields of its kind. */
export interface TemplateTrigger {
  readonly kind: TriggerKind;
  readonly label: string | null;
  readonly enabled: boolean;
  readonly cronExpression?: string;
  readonly timezone?: string;
  readonly signingMode?: SigningMode;
  readonly replayWindowSec?: number;
}

type Optional<Fields, Required extends keyof Fields> = Pick<Fields, Required> & {
  readonly [Name in Exclude<keyof Fields, Required>]?: Fields[Name] | undefined;
};

/**
 * A template as it is declared. A missing field keeps what is there, or takes the default of a new record; a missing list
 * says nothing about its records.
 */
export interface DeclaredTemplate {
  readonly company?: Optional<TemplateCompany, never> | undefined;
  readonly labels?: readonly DeclaredLabel[] | undefined;
  readonly agents?: readonly DeclaredAgent[] | undefined;
  readonly goals?: readonly DeclaredGoal[] | undefined;
  readonly projects?: readonly DeclaredProject[] | undefined;
  readonly routines?: readonly DeclaredRoutine[] | undefined;
}

export type DeclaredLabel = Optional<TemplateLabel, "name">;
export type DeclaredAgent = Optional<TemplateAgent, "key" | "name" | "adapterType">;
export type DeclaredGoal = Optional<TemplateGoal, "key" | "title">;
export type DeclaredProject = Optional<TemplateProject, "key" | "name">;
export type DeclaredRoutine = Omit<
  Optional<TemplateRoutine, "key" | "title" | "assignee" | "project">,
  "triggers"
> & { readonly triggers?: readonly DeclaredTrigger[] | undefined };
export type DeclaredTrigger = Optional<TemplateTrigger, "kind">;

/** The lists of a template, in the order in which records are made: later ones name earlier ones. */
export const templateLists = ["labels", "agents", "goals", "projects", "routines"] as const;

export type TemplateList = (typeof templateLists)[number];
