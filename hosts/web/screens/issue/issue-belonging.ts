import type { Issue } from "../../live/records.ts";

/** The project and the goal of an issue, which one made from it shares; an archived project takes no more. */
export const belongingOf = ({ projectId, project, goalId }: Issue) => ({
  ...(projectId === null || project?.archivedAt != null ? {} : { projectId }),
  ...(goalId === null ? {} : { goalId }),
});
