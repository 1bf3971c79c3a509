import { createHash } from "node:crypto";
import type { InstallationId } from "../../core/model/shared/ids.ts";

/** The labels by which an engine's objects of a run are found; their values are `labelOf` the ids. */
export const runLabel = "boardroom.run";
const installationLabel = "boardroom.installation";

/** Any id as the value of a label, or as a part of a name. */
export const labelOf = (id: string): string =>
  /^[a-z0-9-]{1,63}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 40);

export interface Owner {
  readonly companyId: string | null;
  readonly agentId: string | null;
}

/** Selects the objects of one installation with a label, which may have a value. */
export const ofInstallation = (installation: InstallationId, label: string): readonly string[] => [
  label,
  `${installationLabel}=${labelOf(installation)}`,
];

/** The labels of an object that belongs to one run. */
export const labelsOf = (
  installation: InstallationId,
  runId: string,
  owner: Owner,
): Readonly<Record<string, string>> => ({
  [runLabel]: labelOf(runId),
  ...ownerLabels(installation, owner),
});

/** The labels of an object that stays, such as an agent's volume. */
export const ownerLabels = (
  installation: InstallationId,
  { companyId, agentId }: Owner,
): Readonly<Record<string, string>> => ({
  [installationLabel]: labelOf(installation),
  ...(companyId === null ? {} : { "boardroom.company": labelOf(companyId) }),
  ...(agentId === null ? {} : { "boardroom.agent": labelOf(agentId) }),
});

/** The name of an object on an engine: a copy of the installation has the same ids, and other objects. */
export const objectName = (installation: InstallationId, ...parts: readonly string[]): string =>
  ["br", labelOf(installation).slice(0, 8), ...parts].join("-");

/** The volume of an agent, which its runs share. */
export const volumeNameOf = (installation: InstallationId, agentId: string): string =>
  objectName(installation, "agent", labelOf(agentId));
