import type { Transactor } from "../../../ports/transactor.ts";
import type { ProjectId } from "../../model/shared/ids.ts";

/** Returns the gates of a project, in their order. */
export const listGates =
  (transactor: Transactor) =>
  ({ projectId }: { readonly projectId: ProjectId }) =>
    transactor.transact(({ gates }) => gates.ofProject(projectId));
