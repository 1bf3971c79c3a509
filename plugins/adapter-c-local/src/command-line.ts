import type { OpencodeConfig } from "./configuration.ts";

/** The program reads the prompt from standard input. */
export const commandLine = (config: OpencodeConfig, resume: string | null): readonly string[] => [
  "run",
  "--format",
  "json",
  ...(resume === null ? [] : ["--session", resume]),
  "--model",
  config.model,
  ...(config.variant === undefined ? [] : ["--variant", config.variant]),
  ...config.extraArgs,
];

export const extraEnvironment = (
  config: Pick<OpencodeConfig, "dangerouslySkipPermissions">,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ({
  // Agents write to the workspace, and a configuration can start programs.
  OPENCODE_DISABLE_PROJECT_CONFIG: "true",
  // A run must not replace the program under other runs.
  OPENCODE_DISABLE_AUTOUPDATE: "true",
  // Overrides the user's own configuration without changing it.
  ...(config.dangerouslySkipPermissions && env.OPENCODE_PERMISSION === undefined
    ? { OPENCODE_PERMISSION: JSON.stringify({ "*": "allow" }) }
    : {}),
});
