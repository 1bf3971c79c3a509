import { join } from "node:path";
import * as Effect from "effect/Effect";
import {
  type AgentUsers,
  agentUsers,
  companyHomes,
  serviceUser,
} from "../../../adapters-infra/local/agent-users.ts";
import { agentWorkspaces } from "../../../adapters-infra/local/agent-workspaces.ts";
import { childProcessRunner } from "../../../adapters-infra/local/child-process-runner.ts";
import { freeDisk } from "../../../adapters-infra/local/free-disk.ts";
import { issueWorkspaces } from "../../../adapters-infra/local/issue-workspaces.ts";
import { hostPaths } from "../../../adapters-infra/sandbox/host-paths.ts";
import type { LocalProcessRunner } from "../../../ports/process-runner.ts";
import type { Workspaces } from "../../../ports/workspaces.ts";
import type { Bind, Foundations } from "./foundations.ts";
import { joinedHandover } from "./joined-handover.ts";
import { T } from "./tokens.ts";

/** The machine of the service as others need it: its programs, its workspaces, and the users of agents. */
export interface Machine {
  readonly local: { readonly processes: LocalProcessRunner; readonly workspaces: Workspaces };
  readonly users: AgentUsers;
}

/** Binds the processes, sandbox and workspaces of this machine, and joins it with the operator's runners. */
export const bindMachine = (bind: Bind, opened: Foundations): Machine => {
  const { config, separation, volume, volumeHolders, handoverFiles, runners } = opened;
  bind(T.separation).toConstantValue(separation);
  bind(T.volume).toConstantValue(volume);
  bind(T.volumeHolders).toConstantValue(volumeHolders);
  const processes = processesOf(opened);
  bind(T.processes).toConstantValue(processes);
  bind(T.handover).toConstantValue(joinedHandover([processes.handover, handoverFiles?.handover]));
  const users = usersOf(opened);
  const folders = foldersIn(config.dataDir);
  const agents = { ...folders, env: config.agentEnv };
  const workspaces = agentWorkspaces({ ...agents, folder: folders.workspaces, views: opened.views }, users);
  const ofIssues = issueWorkspaces(
    { ...agents, volume, folder: join(config.dataDir, "trees"), processes },
    users,
  );
  const paths = hostPaths(opened.pathRules, folders);
  const isDiskFull = freeDisk(config.dataDir, config.runMinFreeBytes);
  const local = { processes, workspaces };
  bind(T.runners).toConstantValue(
    runners({ ...local, issueWorkspaces: ofIssues, paths, volume, isDiskFull }),
  );
  return { local, users };
};

const foldersIn = (dataDir: string) => ({
  workspaces: join(dataDir, "workspaces"),
  homes: join(dataDir, "homes"),
  files: join(dataDir, "agent-skills"),
});

const processesOf = ({
  config,
  installation,
  groups,
  sandbox,
  detach,
  views,
  spawner,
  supervisor,
}: Foundations) =>
  childProcessRunner({
    installation,
    groups,
    sandbox,
    detach,
    views,
    maxMemoryBytes: config.runMaxMemoryBytes,
    maxDiskBytes: config.runMaxDiskBytes,
    spawner,
    supervisor: supervisor === null ? null : { programs: supervisor, sec: config.handoverSec },
  });

/** The users that agents' programs run as. */
const usersOf = ({ config, installation, sandbox, storage, reservedUsers }: Foundations): AgentUsers => {
  const { homes } = foldersIn(config.dataDir);
  if (config.agentUsers === null) return sandbox === null ? serviceUser : companyHomes(homes);
  return agentUsers(
    config.agentUsers,
    { installation, homes, serviceHome: config.agentEnv.HOME, ...reservedUsers },
    (companyId) => Effect.orDie(storage.views.companies.numberOf(companyId)),
  );
};
