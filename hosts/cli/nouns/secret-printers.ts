import { shortId } from "../print/cells.ts";
import { columns, type Printer } from "../print/printers.ts";

export const secretPrinters: readonly Printer[] = [
  columns(
    "SecretShape",
    { field: "id", title: "SECRET" },
    "key",
    "name",
    "status",
    { field: "latestVersion", title: "VERSION", goes: 3 },
    { field: "referenceCount", title: "BOUND", goes: 4 },
    { field: "provider", goes: 2 },
    { field: "externalRef", title: "LINKED TO", grows: true, goes: 1 },
    { field: "lastResolvedAt", title: "LAST READ", goes: 5 },
  ),
  columns(
    "SecretVersionShape",
    { field: "version", strong: true },
    "status",
    { field: "providerVersionRef", title: "AT THE PROVIDER", grows: true },
    { field: ["createdByAgentId", "createdByUserId"], title: "BY" },
    "createdAt",
  ),
  columns(
    "AccessEventShape",
    { field: "createdAt", title: "WHEN" },
    "outcome",
    { field: "errorCode", title: "WHY", grows: true },
    "version",
    { field: "consumerId", title: "AGENT" },
    { field: "configPath", title: "AS", grows: true },
    { title: "RUN", show: ({ heartbeatRunId }) => shortId(heartbeatRunId) },
  ),
  columns(
    "VaultShape",
    { field: "id", title: "VAULT" },
    { field: "displayName", title: "NAME" },
    { field: "provider", grows: true },
    "status",
    { field: "isDefault", goes: 2 },
    { field: "healthMessage", title: "HEALTH", grows: true, goes: 3 },
    { field: "healthCheckedAt", title: "CHECKED", goes: 1 },
  ),
];
