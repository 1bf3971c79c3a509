import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { refusalOfNewWork } from "../../model/projects/project.ts";
import type { ProjectId } from "../../model/shared/ids.ts";

/** Refuses a new issue or routine in an archived project. A missing project is refused where it is looked up. */
export const requireOpenProject = Effect.fnUntraced(function* (
  stores: Stores,
  projectId: ProjectId | null | undefined,
) {
  if (!projectId) return;
  const refusal = refusalOfNewWork(yield* stores.projects.isArchived(projectId));
  if (refusal !== null) yield* Effect.fail(refusal);
});
