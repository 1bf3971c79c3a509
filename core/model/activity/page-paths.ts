import type { EntityType } from "./activity-entry.ts";

/** Below the company's path, the page of the records that have one each: `/issues`, followed by the id. */
export const pagePaths: Readonly<Partial<Record<EntityType, string>>> = {
  issue: "/issues",
  agent: "/agents",
  heartbeat_run: "/runs",
  approval: "/approvals",
  routine: "/routines",
  project: "/projects",
  goal: "/goals",
};
