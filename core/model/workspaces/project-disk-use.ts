import type { CompanyId, ProjectId } from "../shared/ids.ts";
import { type RemovalFacts, whyItStays } from "./removal.ts";

/** The folder of a workspace of one of a project's issues, on any disk. */
export interface ProjectFolder extends RemovalFacts {
  readonly companyId: CompanyId;
  readonly projectId: ProjectId;
  /** null: not known. */
  readonly bytes: number | null;
}

/** The service's stores of a project's repositories. */
export interface ProjectStores {
  readonly companyId: CompanyId;
  readonly projectId: ProjectId;
  readonly bytes: number;
}

/** The bytes of a project on disks, as last measured. */
export interface ProjectDiskUse {
  readonly companyId: CompanyId;
  readonly projectId: ProjectId;
  readonly workspaces: number;
  /** Of these, that of workspaces which may be removed on request, and how many these are. */
  readonly mayGo: number;
  readonly workspacesThatMayGo: number;
  /** Of the service's stores of its repositories. */
  readonly repositories: number;
}

export const projectDiskUse = (
  folders: readonly ProjectFolder[],
  stores: readonly ProjectStores[],
): readonly ProjectDiskUse[] => {
  const uses = new Map<ProjectId, ProjectDiskUse>();
  const add = (
    { companyId, projectId }: ProjectStores | ProjectFolder,
    more: Partial<Record<"workspaces" | "mayGo" | "workspacesThatMayGo" | "repositories", number>>,
  ) => {
    const use = uses.get(projectId);
    const sum = (name: keyof typeof more) => (use?.[name] ?? 0) + (more[name] ?? 0);
    uses.set(projectId, {
      companyId,
      projectId,
      workspaces: sum("workspaces"),
      mayGo: sum("mayGo"),
      workspacesThatMayGo: sum("workspacesThatMayGo"),
      repositories: sum("repositories"),
    });
  };
  for (const folder of folders) {
    const bytes = folder.bytes ?? 0;
    const mayGo = whyItStays(folder, "request") === null;
    add(folder, { workspaces: bytes, ...(mayGo ? { mayGo: bytes, workspacesThatMayGo: 1 } : {}) });
  }
  for (const each of stores) add(each, { repositories: each.bytes });
  return [...uses.values()];
};

/** The ways in which an operator can reduce a project's disk use. */
export const projectDiskAdvice = ({ workspacesThatMayGo: count }: ProjectDiskUse): string =>
  count === 0
    ? "No workspace can be removed as is. Merge or abandon one first."
    : `${count === 1 ? "One workspace" : `${count} workspaces`} can be removed (workspaces remove).`;
