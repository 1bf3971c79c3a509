import type { EntityType } from "../../../../core/model/activity/activity-entry.ts";

/** The kinds of things that the audit trail is about. */
export const entityLabels: Readonly<Partial<Record<EntityType, string>>> = {
  issue: "Issues",
  agent: "Agents",
  heartbeat_run: "Runs",
  approval: "Approvals",
  routine: "Routines",
  project: "Projects",
  goal: "Goals",
  label: "Labels",
  secret: "Secrets",
  secret_provider_config: "Vaults",
  budget: "Budgets",
  cost_event: "Costs",
  grant: "Grants",
  member: "Members",
  asset: "Logos",
  company: "Company",
};
