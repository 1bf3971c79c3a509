import type { EntityType } from "../../../core/model/activity/activity-entry.ts";
import { brief, shortId } from "../print/cells.ts";
import { columns, type Printer } from "../print/printers.ts";

/** Shorter names of entity types, for people. */
const spokenOf: Readonly<Partial<Record<EntityType, string>>> = {
  heartbeat_run: "run",
  secret_provider_config: "vault",
};

export const activityPrinters: readonly Printer[] = [
  columns(
    "ActivityShape",
    { field: "createdAt", title: "WHEN" },
    { field: ["actorId", "actorType"], title: "WHO" },
    { field: "action", title: "WHAT", grows: 24 },
    {
      title: "ABOUT",
      show: ({ entityType, entityId, details }) =>
        typeof details.identifier === "string"
          ? details.identifier
          : `${spokenOf[entityType] ?? entityType} ${shortId(entityId)}`,
    },
    { title: "DETAILS", show: ({ details }, paper) => brief(details, paper), grows: true, goes: 1 },
  ),
];
