import type { Instant } from "../shared/instant.ts";
import type { NamedIssue } from "./situation-facts.ts";

/**
 * The state of an agent's work. `starting`: a service claims its run at the next check. `waiting`: something stops its work for
 * now. `held`: a hold stops all its work.
 */
export const situationStates = [
  "working",
  "starting",
  "waiting",
  "held",
  "idle",
  "draft",
  "terminated",
] as const;
export type SituationState = (typeof situationStates)[number];

interface ReasonRule {
  readonly state: SituationState;
  /** Whether nothing changes until a person does something. */
  readonly needsPerson: boolean;
}

/** Why an agent does what it does, the strongest first. The only list of these reasons. */
export const situationReasons = {
  terminated: { state: "terminated", needsPerson: false },
  hire_pending: { state: "draft", needsPerson: true },
  stopping: { state: "working", needsPerson: false },
  permission: { state: "working", needsPerson: true },
  working: { state: "working", needsPerson: false },
  restored: { state: "held", needsPerson: true },
  manual: { state: "held", needsPerson: true },
  budget: { state: "held", needsPerson: true },
  company: { state: "held", needsPerson: true },
  company_budget: { state: "held", needsPerson: true },
  starting: { state: "starting", needsPerson: false },
  run_held: { state: "waiting", needsPerson: true },
  unavailable: { state: "waiting", needsPerson: true },
  disk_full: { state: "waiting", needsPerson: true },
  undo_window: { state: "waiting", needsPerson: false },
  former_assignee: { state: "waiting", needsPerson: false },
  account_limit: { state: "waiting", needsPerson: false },
  no_slot: { state: "waiting", needsPerson: false },
  run_refused: { state: "waiting", needsPerson: false },
  gates_judged: { state: "waiting", needsPerson: false },
  stalled: { state: "waiting", needsPerson: true },
  waits_for_answer: { state: "waiting", needsPerson: true },
  approval_pending: { state: "waiting", needsPerson: true },
  project_budget: { state: "waiting", needsPerson: true },
  marked_blocked: { state: "waiting", needsPerson: true },
  blocked_by: { state: "waiting", needsPerson: false },
  in_review: { state: "waiting", needsPerson: true },
  not_woken: { state: "waiting", needsPerson: true },
  backlog: { state: "idle", needsPerson: true },
  last_run_failed: { state: "idle", needsPerson: true },
  no_work: { state: "idle", needsPerson: false },
} as const satisfies Readonly<Record<string, ReasonRule>>;

export type ReasonCode = keyof typeof situationReasons;

/** A record that a reason is about; `label` is how people name it. */
export interface SituationLink {
  readonly kind: "issue" | "run" | "approval";
  readonly id: string;
  readonly label: string;
}

export interface Reason {
  readonly code: ReasonCode;
  readonly sentence: string;
  readonly needsPerson: boolean;
  /** Since when it holds, where that is known. */
  readonly since: Instant | null;
  /** When it ends by itself; null: not at a known time. */
  readonly until: Instant | null;
  /** In the order in which the sentence names them. */
  readonly links: readonly SituationLink[];
}

/** A reason that applies, with what is known about it. */
export const reason = (code: ReasonCode, sentence: string, more: Partial<Reason> = {}): Reason => ({
  code,
  sentence,
  needsPerson: situationReasons[code].needsPerson,
  since: null,
  until: null,
  links: [],
  ...more,
});

export const toIssue = ({ id, identifier }: NamedIssue): SituationLink => ({
  kind: "issue",
  id,
  label: identifier,
});
