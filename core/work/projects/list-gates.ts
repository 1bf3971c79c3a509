import type { UseCaseContext } from "../../access/unit-of-work.ts";
import type { ProjectId } from "../../model/shared/ids.ts";

/** Returns the gates of a project, in their order. */
export const listGates =
  ({ transactor }: UseCaseContext) =>
  ({ projectId }: { readonly projectId: ProjectId }) =>
    transactor.transact(({ gates }) => gates.ofProject(projectId));
