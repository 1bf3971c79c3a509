import { bytesOf, diskAdvice, largestKind } from "../../../core/model/companies/disk-use.ts";
import { projectDiskAdvice } from "../../../core/model/workspaces/project-disk-use.ts";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { NamedDiskUse, Operations } from "../../../ports/views/operations-views.ts";

/** Lists adapters that are broken or being loaded, and unknown types that queued runs wait for. */
export const notLoaded = (adapters: AdapterRegistry, queued: Operations["queuedByAdapter"]) => {
  const runsOf = (type: string | null) => queued.find(({ adapterType }) => adapterType === type)?.runs ?? 0;
  const known = adapters.known().filter(({ problem, status }) => status !== "loaded" || problem !== null);
  const heardOf = new Set(adapters.known().map(({ type }) => type));
  return [
    ...known.map(({ type, status, problem }) => ({
      type,
      status: status === "loading" ? ("loading" as const) : ("failed" as const),
      error: problem,
      runsQueued: status === "loaded" ? 0 : runsOf(type),
    })),
    ...queued
      .filter(({ adapterType }) => !heardOf.has(adapterType))
      .map(({ adapterType, runs }) => ({
        type: adapterType,
        status: "missing" as const,
        error: `No adapter of type ${adapterType} is installed in this service.`,
        runsQueued: runs,
      })),
  ];
};

const shownMost = 20;

export const shownDisk = (use: NamedDiskUse | null) =>
  use === null
    ? null
    : {
        at: use.at,
        companies: use.companies
          .map((each) => ({ ...each, bytes: bytesOf(each), advice: diskAdvice[largestKind(each)] }))
          .sort((one, other) => other.bytes - one.bytes)
          .slice(0, shownMost),
        projects: use.projects
          .map((each) => ({
            ...each,
            bytes: each.workspaces + each.repositories,
            advice: projectDiskAdvice(each),
          }))
          .sort((one, other) => other.bytes - one.bytes)
          .slice(0, shownMost),
      };
