import * as Effect from "effect/Effect";
import { type Workspace, type Workspaces, WorkspaceUnusable } from "../../ports/workspaces.ts";
import { filesFolder, workFolder } from "./pod.ts";

/** Whom files of the service must be readable for to be sent: everybody. */
const nobody = { uid: 65_534, gid: 65_534 };

const inPod: Omit<Workspace, "companyId" | "agentId"> = {
  cwd: `${workFolder}/workspace`,
  files: filesFolder,
  user: nobody,
  env: { HOME: `${workFolder}/home` },
};

/** The folders of agents in their pods: workspace and HOME on the agent's volume. */
export const podWorkspaces: Workspaces = {
  prepare: ({ id: agentId, companyId }, configured) =>
    configured === null || configured.startsWith(`${workFolder}/`)
      ? Effect.succeed({ ...inPod, companyId, agentId, cwd: configured ?? inPod.cwd })
      : Effect.fail(
          new WorkspaceUnusable(
            `In a pod the working directory is below ${workFolder}, which is on the agent's volume; ${configured} is not. Leave out adapterConfig.cwd, or give it such a path.`,
          ),
        ),
  lend: (companyId) => Effect.succeed({ ...inPod, companyId, agentId: null }),
};
