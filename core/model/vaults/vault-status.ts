export const vaultStatuses = ["ready", "warning", "error", "coming_soon", "disabled"] as const;
export type VaultStatus = (typeof vaultStatuses)[number];

/** Statuses that people may set; only health checks set `error`. */
export const settableStatuses = [
  "ready",
  "warning",
  "coming_soon",
  "disabled",
] as const satisfies readonly VaultStatus[];

/** The statuses of vaults whose check found a problem. */
export const unhealthyStatuses = ["warning", "error"] as const satisfies readonly VaultStatus[];

/** Whether secrets are imported from a vault of that status. */
export const isImportable = (status: VaultStatus): boolean => status === "ready" || status === "warning";

/** Whether a vault of that status takes no new values, and cannot be the default. */
export const isClosedVault = (status: VaultStatus): boolean =>
  status === "coming_soon" || status === "disabled";
