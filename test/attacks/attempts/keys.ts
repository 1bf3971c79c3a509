import type { areas } from "./index.ts";

type AreaName = keyof typeof areas;
/** A row, as `docs/security.md` prints it. */
type RowName = {
  [Name in AreaName]: `${Name}/${(typeof areas)[Name]["attempts"][number]["id"]}`;
}[AreaName];

/**
 * The kinds of thing that a value can name: `data` is nothing that the service or the sandbox opens, starts or shows.
 * Everything else has a row that tries it, or the test of its adapter.
 */
export type Coverage =
  | "data"
  | { readonly names: string; readonly tried: RowName | `test/${string}.test.ts` };

/** Every key of the configuration of a built-in adapter. */
export const configurationKeys: Readonly<Record<string, Coverage>> = {
  args: { names: "arguments of the program", tried: "paths/data-directory" },
  extraArgs: { names: "arguments of the program", tried: "paths/data-directory" },
  command: { names: "the program", tried: "paths/link-as-command" },
  agent: { names: "the program, by a name of the adapter's", tried: "test/plugins/acp.test.ts" },
  cwd: { names: "a folder of the machine", tried: "paths/link-as-cwd" },
  instructionsFilePath: { names: "a file of the machine", tried: "agent-files/linked-instructions" },
  desiredSkills: { names: "skills that the service lays out", tried: "agent-files/crowded-skills" },
  graceSec: { names: "the time after SIGTERM", tried: "machine/grace-of-a-hoarder" },
  url: { names: "a host that the service calls", tried: "test/plugins/http.test.ts" },
  allowPrivateHosts: { names: "a host that the service calls", tried: "test/plugins/http.test.ts" },
  headers: { names: "headers of the service's request", tried: "test/plugins/http.test.ts" },
  method: "data",
  payloadTemplate: "data",
  timeoutSec: "data",
  silenceSec: "data",
  promptTemplate: "data",
  instructions: "data",
  model: "data",
  modelReasoningEffort: "data",
  variant: "data",
  effort: "data",
  mode: "data",
  permissions: "data",
  permissionWaitSec: "data",
  fastMode: "data",
  search: "data",
  chrome: "data",
  maxTurnsPerRun: "data",
  dangerouslySkipPermissions: "data",
  dangerouslyBypassApprovalsAndSandbox: "data",
};

/** Every variable of a program's environment that the sandbox or the runner reads. */
export const variables: Readonly<Record<string, Coverage>> = {
  HOME: { names: "a folder of the machine", tried: "paths/link-in-home" },
  PATH: { names: "folders of the machine", tried: "paths/machine" },
  TMPDIR: "data",
  PWD: "data",
};
