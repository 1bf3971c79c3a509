import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { gitStores, noStores } from "../../../adapters-infra/git/git-stores.ts";
import { takeExclusiveLock } from "../../../adapters-infra/local/exclusive-lock.ts";
import { ownFolder } from "../../../adapters-infra/local/own-folder.ts";
import type { AgentUser } from "../../../ports/agent-adapter.ts";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { Sandbox } from "../../../ports/sandbox.ts";

const git = "/usr/bin/git";

/** Returns a sentence: why git of this machine cannot hold repositories; null where it can. */
export const gitUnavailableReason = async (): Promise<string | null> => {
  const version = await promisify(execFile)(git, ["--version"], { timeout: 10_000 }).catch(() => null);
  if (version === null)
    return "Git isn't installed, so projects can't have repositories. Install it (apt-get install git).";
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(version.stdout) ?? [];
  const isEnough = Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38);
  return isEnough
    ? null
    : `Git ${major}.${minor} is too old, so projects can't have repositories. Install 2.38 or later.`;
};

const sandboxUnavailableReason =
  "Repositories need the sandbox, which keeps agents from changing each other's work. Install bubblewrap (apt-get install bubblewrap).";

export interface CodeStoresOptions {
  readonly dataDir: string;
  readonly sandbox: Sandbox | null;
  /** The user that git runs as; null: the service's own. */
  readonly user: AgentUser | null;
}

/** Opens the stores of repositories below the data directory; without git or a sandbox, stores that refuse. */
export const openCodeStores = async ({ dataDir, sandbox, user }: CodeStoresOptions): Promise<CodeStores> => {
  const unavailableReason = sandbox === null ? sandboxUnavailableReason : await gitUnavailableReason();
  if (sandbox === null || unavailableReason !== null)
    return noStores(unavailableReason ?? sandboxUnavailableReason);
  return gitStores({
    folder: join(dataDir, "repositories"),
    git,
    sandbox,
    user,
    takeLock: takeExclusiveLock,
    ownFolder,
  });
};
