import { z } from "zod";
import { id, Timestamp, when } from "../endpoint/values.ts";

const volumeFields = {
  volume: id.describe("Identifies the folder, also where several hosts share it."),
  host: z.string().describe("The name of the machine that last held it."),
  reachable: z.boolean().describe("Whether a live service holds it, which can start runs there."),
  lastSeenAt: Timestamp.describe("When a service with it last renewed its lease."),
  givenUpAt: when.describe("When its agents may continue elsewhere; null while it is reachable."),
};

export const VolumeShape = z.object({
  ...volumeFields,
  services: z
    .array(z.object({ id, host: z.string(), role: z.string(), startedAt: Timestamp }))
    .readonly()
    .describe("Live services that hold it."),
  agents: z.number().describe("How many agents belong to it."),
  runsRunning: z.number(),
});

/** Where the workspace and sessions of an agent are. */
export const WorkspaceShape = z.object({ ...volumeFields, since: Timestamp });
