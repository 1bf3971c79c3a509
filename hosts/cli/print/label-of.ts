const knownAs: Readonly<Record<string, string>> = {
  agentId: "agent",
  createdByRunId: "in run",
  checkoutRunId: "held by run",
};

/** Makes a label from a field's name: `assigneeAgentId` → `assignee`, `lastUsedAt` → `last used`, `isDefault` → `default`. */
export const labelOf = (key: string): string =>
  knownAs[key] ??
  (key
    .replace(/^is(?=[A-Z])/, "")
    .replace(/(?:AgentId|UserId|Cents|Sec|(?<=[a-z])At)$/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase() ||
    key);
