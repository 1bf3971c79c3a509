const knownAs: Readonly<Record<string, string>> = { createdByRunId: "in run", checkoutRunId: "held by run" };

/** Makes a label from a field's name: `assigneeAgentId` → `assignee`, `heldSince` → `held since`. */
export const labelOf = (key: string): string =>
  knownAs[key] ??
  (key
    .replace(/(?:AgentId|UserId)$/, "")
    .replace(/Cents$/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase() ||
    key);
