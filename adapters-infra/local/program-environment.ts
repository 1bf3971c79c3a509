import { isServiceVariable } from "../../core/model/agents/service-variables.ts";
import type { InstallationId } from "../../core/model/shared/ids.ts";
import type { ProcessSupervision, ProgramSpec } from "../../ports/process-runner.ts";
import { installationVariable, runIdVariable } from "./process-table.ts";

/** Joins the run's environment with the adapter's additions. An adapter cannot change the service's variables. */
export const environment = (
  spec: ProgramSpec,
  supervision: ProcessSupervision,
  installation: InstallationId,
): Record<string, string> => {
  const isOurs = (name: string) =>
    name === runIdVariable ||
    name === installationVariable ||
    (isServiceVariable(name) && name in supervision.env);
  const env: Record<string, string> = { ...supervision.env };
  for (const name of spec.unsetEnv ?? []) if (!isOurs(name)) delete env[name];
  for (const [name, value] of Object.entries(spec.env ?? {})) if (!isOurs(name)) env[name] = value;
  env[runIdVariable] = supervision.runId;
  env[installationVariable] = installation;
  return env;
};
