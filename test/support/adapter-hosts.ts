import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceUser } from "../../adapters-infra/local/agent-users.ts";
import { agentWorkspaces } from "../../adapters-infra/local/agent-workspaces.ts";
import { childProcessRunner } from "../../adapters-infra/local/child-process-runner.ts";
import type { Hosts } from "../../adapters-infra/plugins/open-plugin.ts";
import { installation } from "./installation.ts";
import { workspacesBelow } from "./workspaces.ts";

/** Hosts of external adapters outside the service: real processes, in folders of their own. */
export const adapterHosts = (): Hosts => ({
  processes: childProcessRunner({ installation }),
  workspaces: agentWorkspaces(
    workspacesBelow(join(tmpdir(), `adapter-hosts-${process.pid}`), { PATH: process.env.PATH ?? "" }),
    serviceUser,
  ),
  mark: () => `look.${randomUUID()}`,
});
