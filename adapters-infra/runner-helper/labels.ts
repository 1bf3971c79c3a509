import { createHash } from "node:crypto";

/** The label by which an engine's objects of a run are found; its value is `labelOf` the run's id. */
export const runLabel = "boardroom.run";

/** Any id as the value of a label, or as a part of a name. */
export const labelOf = (id: string): string =>
  /^[a-z0-9-]{1,63}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 40);

export interface Owner {
  readonly companyId: string | null;
  readonly agentId: string | null;
}

/** The labels of an object that belongs to one run. */
export const labelsOf = (runId: string, owner: Owner): Readonly<Record<string, string>> => ({
  [runLabel]: labelOf(runId),
  ...ownerLabels(owner),
});

/** The labels of an object that stays, such as an agent's volume. */
export const ownerLabels = ({ companyId, agentId }: Owner): Readonly<Record<string, string>> => ({
  ...(companyId === null ? {} : { "boardroom.company": labelOf(companyId) }),
  ...(agentId === null ? {} : { "boardroom.agent": labelOf(agentId) }),
});

/** The volume of an agent, which its runs share. */
export const volumeNameOf = (agentId: string): string => `br-agent-${labelOf(agentId)}`;
