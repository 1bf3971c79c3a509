import { normalize } from "node:path/posix";
import * as Effect from "effect/Effect";
import { type Workspace, type Workspaces, WorkspaceUnusable } from "../../ports/workspaces.ts";

/** Of the agent, on its volume. */
export const workFolder = "/boardroom/work";
/** Of one run. */
export const filesFolder = "/boardroom/files";

/** Files of the service are sent only if every user may read them. */
const nobody = { uid: 65_534, gid: 65_534 };

/** The view of programs, wherever their workspace is. */
export const inEngine: Omit<Workspace, "companyId" | "agentId"> = {
  own: [workFolder],
  granted: [],
  cwd: `${workFolder}/workspace`,
  files: filesFolder,
  user: nobody,
  env: { HOME: `${workFolder}/home` },
};

/** The folders of agents in their pods or containers: workspace and HOME on the agent's volume. */
export const engineWorkspaces = (kind: "pod" | "container"): Workspaces => ({
  prepare: ({ id: agentId, companyId }, configured) =>
    configured === null || normalize(configured).startsWith(`${workFolder}/`)
      ? Effect.succeed({ ...inEngine, companyId, agentId, cwd: configured ?? inEngine.cwd })
      : Effect.fail(
          new WorkspaceUnusable(
            `In a ${kind} the working directory is below ${workFolder}, which is on the agent's volume; ${configured} is not. Leave out adapterConfig.cwd, or give it such a path.`,
          ),
        ),
  temporary: (companyId) => Effect.succeed({ ...inEngine, companyId, agentId: null }),
});
