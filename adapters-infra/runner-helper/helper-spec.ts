import { join } from "node:path/posix";
import { type InstallationId, isUuid } from "../../core/model/shared/ids.ts";
import type { ProcessSupervision, ProgramSpec } from "../../ports/process-runner.ts";
import type { Workspace } from "../../ports/workspaces.ts";
import { unusableSpec } from "../local/start-process.ts";
import { collectFiles } from "./collect-files.ts";
import type { HelperSpec } from "./protocol.ts";

/** Facts about the service that a runner on an engine needs. */
export interface ServiceFacts {
  readonly installation: InstallationId;
  /** How long a program may live without an answer of the service. */
  readonly fenceSec: number;
  /** The folder of the skills that are offered to agents. */
  readonly skills: string;
}

const foldersOf = (
  { volumes = [], agentFolder }: Workspace,
  others: readonly (string | undefined)[],
): readonly string[] => [
  ...new Set(
    [
      ...volumes.flatMap(({ path, folders }) => folders.map((folder) => join(path, folder))),
      agentFolder,
      ...others,
    ].flatMap((folder) => folder ?? []),
  ),
];

/** Returns what the helper reads, as JSON; or a sentence: why the program cannot be started. */
export const helperSpec = async (
  spec: ProgramSpec,
  { runId, workspace, env }: ProcessSupervision,
  { installation, fenceSec, skills }: ServiceFacts,
): Promise<{ readonly text: string } | { readonly startError: string }> => {
  const startError = unusableSpec(spec);
  if (startError !== null) return { startError };
  const {
    cwd = workspace.cwd,
    files = [],
    reads: _,
    onStdoutLine: __,
    keepPace: ___,
    onPipe: ____,
    onInput,
    ...program
  } = spec;
  const { SERVICE_API_URL: url, SERVICE_API_KEY: token } = env;
  try {
    const all: HelperSpec = {
      installation,
      runId,
      program,
      cwd,
      env,
      files: await collectFiles(files, skills),
      folders: foldersOf(workspace, [cwd, env.HOME]),
      hasOpenInput: onInput !== undefined,
      fence:
        url === undefined || token === undefined || !isUuid(runId)
          ? null
          : { url: `${url}/api/heartbeat-runs/${runId}`, token, withinSec: fenceSec },
    };
    return { text: JSON.stringify(all) };
  } catch (error) {
    return { startError: (error as Error).message };
  }
};
