import type { CompanyId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { ProjectDiskUse } from "../workspaces/project-disk-use.ts";

/** Kinds of data on disks, by what an operator can do to reduce them. */
export const diskKinds = ["files", "logs", "runs", "activity", "costs", "work"] as const;
export type DiskKind = (typeof diskKinds)[number];

/** Bytes of a company. Those of the database are estimated from samples of its tables. */
export type CompanyDiskUse = { readonly companyId: CompanyId } & Readonly<Record<DiskKind, number>>;

export interface DiskUse {
  readonly at: Instant;
  readonly companies: readonly CompanyDiskUse[];
  readonly projects: readonly ProjectDiskUse[];
}

/** The ways in which an operator can reduce each kind. */
export const diskAdvice: Readonly<Record<DiskKind, string>> = {
  files: "Delete attachments you no longer need.",
  logs: "SERVICE_KEEP_RUN_DETAILS_DAYS deletes the logs of old runs.",
  runs: "SERVICE_KEEP_RUN_DETAILS_DAYS deletes the events and wakes of old runs.",
  activity: "SERVICE_KEEP_ACTIVITY_DAYS deletes old activity.",
  costs: "SERVICE_KEEP_COST_EVENTS_DAYS folds old cost events into their sums.",
  work: "Issues, comments and documents aren't deleted automatically.",
};

export const bytesOf = (use: CompanyDiskUse): number => diskKinds.reduce((sum, kind) => sum + use[kind], 0);

/** The largest kind. */
export const largestKind = (use: CompanyDiskUse): DiskKind =>
  diskKinds.reduce((largest, kind) => (use[kind] > use[largest] ? kind : largest));
