import type { Agent } from "../agents/agent.ts";
import type { Company } from "../companies/company.ts";
import type { HouseRules } from "../companies/house-rules.ts";
import type { Goal } from "../goals/goal.ts";
import type { Label } from "../labels/label.ts";
import type { Project } from "../projects/project.ts";
import type { Routine } from "../routines/routine.ts";
import type { Trigger } from "../routines/trigger.ts";
import type { Secret } from "../secrets/secret.ts";

/** The records of a company that a template describes, each list in the order in which they were created. */
export interface CompanyRecords {
  readonly company: Company;
  /** The current revision. */
  readonly houseRules: Pick<HouseRules, "revisionNumber" | "body"> | null;
  readonly labels: readonly Label[];
  /** Without drafts and terminated ones. */
  readonly agents: readonly Omit<Agent, "companyHeldByBudgetAt">[];
  /** Without archived ones. */
  readonly goals: readonly Goal[];
  /** Without archived ones. */
  readonly projects: readonly Project[];
  /** Without archived ones. */
  readonly routines: readonly Routine[];
  /** Of these routines, without deleted ones. */
  readonly triggers: readonly Trigger[];
  readonly secrets: readonly Pick<Secret, "id" | "key" | "status">[];
}

/** The records of a company that has none yet. */
export const recordsOf = (company: Company): CompanyRecords => ({
  company,
  houseRules: null,
  labels: [],
  agents: [],
  goals: [],
  projects: [],
  routines: [],
  triggers: [],
  secrets: [],
});
