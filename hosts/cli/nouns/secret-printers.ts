import { shortId, someone, status, strong, when } from "../print/cells.ts";
import { columns, type Printer } from "../print/printers.ts";

export const secretPrinters: readonly Printer[] = [
  columns(
    "SecretShape",
    { title: "SECRET", show: ({ id }) => id },
    { title: "KEY", show: ({ key }) => key },
    { title: "NAME", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    { title: "VERSION", show: ({ latestVersion }) => `${latestVersion}`, goes: 3 },
    { title: "BOUND", show: ({ referenceCount }) => `${referenceCount}`, goes: 4 },
    { title: "KEPT BY", show: ({ provider }) => provider, goes: 2 },
    { title: "LINKED TO", show: ({ externalRef }) => externalRef ?? "", grows: true, goes: 1 },
    { title: "LAST READ", show: when("lastResolvedAt"), goes: 5 },
  ),
  columns(
    "SecretVersionShape",
    { title: "VERSION", show: ({ version }, paper) => strong(`${version}`, paper) },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    { title: "AT THE PROVIDER", show: ({ providerVersionRef }) => providerVersionRef ?? "", grows: true },
    { title: "BY", show: (row, paper) => someone(row.createdByAgentId ?? row.createdByUserId, paper) },
    { title: "MADE", show: when("createdAt") },
  ),
  columns(
    "AccessEventShape",
    { title: "WHEN", show: when("createdAt") },
    { title: "OUTCOME", show: ({ outcome }, paper) => status(outcome, paper) },
    { title: "WHY", show: ({ errorCode }) => errorCode ?? "", grows: true },
    { title: "VERSION", show: ({ version }) => (version === null ? "–" : `${version}`) },
    { title: "AGENT", show: ({ consumerId }, paper) => someone(consumerId, paper), grows: 8 },
    { title: "AS", show: ({ configPath }) => configPath, grows: true },
    { title: "RUN", show: ({ heartbeatRunId }) => shortId(heartbeatRunId) },
  ),
  columns(
    "VaultShape",
    { title: "VAULT", show: ({ id }) => id },
    { title: "NAME", show: ({ displayName }, paper) => strong(displayName, paper), grows: true },
    { title: "PROVIDER", show: ({ provider }) => provider, grows: true },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    { title: "DEFAULT", show: ({ isDefault }) => (isDefault ? "yes" : ""), goes: 2 },
    { title: "HEALTH", show: ({ healthMessage }) => healthMessage ?? "", grows: true, goes: 3 },
    { title: "CHECKED", show: when("healthCheckedAt"), goes: 1 },
  ),
];
