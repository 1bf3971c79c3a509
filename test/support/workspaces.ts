import { join } from "node:path";
import { programViews } from "../../adapters-infra/sandbox/program-view.ts";
import type { VolumeId } from "../../core/model/shared/ids.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Workspace } from "../../ports/workspaces.ts";

/** A folder of this machine, as a runner gets it. */
export const aWorkspace = (cwd: string, more: Partial<Workspace> = {}): Workspace => ({
  companyId: null,
  agentId: null,
  cwd,
  own: [cwd],
  granted: [],
  files: join(cwd, "..", "files"),
  user: null,
  env: {},
  ...more,
});

/** The claims of a service that knows only its own machine. */
const here = "00000000-0000-8000-8000-000000000001" as VolumeId;
export const localClaims = {
  typesWithoutFiles: [],
  runners: new Map([["local", { scope: "host/here", volume: here }]]),
  volume: here,
  defaultRunner: "local",
};

/** A service without templates, for verbs that only ask which runners there are. */
export const noTemplates: Runners = {
  default: "local",
  all: [],
  known: [{ name: "local", kind: "local", reach: "host/here", recoveryBoundSec: 30, problem: null }],
  get: () => null,
};

/** The folders of agents below one, with nothing of the machine on view. */
export const workspacesBelow = (folder: string, env: Readonly<Record<string, string>> = {}) => ({
  folder: join(folder, "workspaces"),
  homes: join(folder, "homes"),
  files: join(folder, "files"),
  views: programViews({ dataDir: join(folder, "data"), shared: [], listed: [], commands: [] }),
  env,
});
