import type { AdapterModel, ModelsContext } from "../../../ports/agent-adapter.ts";
import { commandOf } from "../../kit/cli-program.ts";
import { ConfigRefusal } from "../../kit/config.ts";
import { knownModels } from "../../kit/known-models.ts";
import { extraEnvironment } from "./command-line.ts";
import { program } from "./configuration.ts";

/** Empty: the program knows the models of its providers. */
export const models: readonly AdapterModel[] = [];

const limitSec = 20;
const pausesMs = [2_000, 4_000];

const known = knownModels<Discovery>();

interface Discovery {
  readonly models: readonly AdapterModel[];
  /** The program failed or did not answer. */
  readonly failed: boolean;
}

export const listModels = async (context: ModelsContext): Promise<readonly AdapterModel[]> =>
  (await discoverModels(context)).models;

/** Returns `provider/model` lines of `opencode models`; empty where it lists none or fails. */
export const discoverModels = async (context: ModelsContext): Promise<Discovery> => {
  let command: string;
  try {
    command = commandOf(program, context.config);
  } catch (refusal) {
    if (!(refusal instanceof ConfigRefusal)) throw refusal;
    return { models: [], failed: true };
  }
  return known(context, [command], async () => {
    let found: Found = failed;
    for (const pauseMs of [...pausesMs, null]) {
      found = await ask(context, command);
      if (found.models.length > 0 || found.startFailed || pauseMs === null) break;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    return found;
  });
};

interface Found extends Discovery {
  readonly startFailed?: true;
}

const failed: Found = { models: [], failed: true };

const ask = async (context: ModelsContext, command: string): Promise<Found> => {
  const lines: string[] = [];
  const outcome = await context.runProcess({
    command,
    args: ["models"],
    env: extraEnvironment({ dangerouslySkipPermissions: false }, context.env),
    unsetEnv: program.outerSessionVariables,
    timeoutSec: limitSec,
    graceSec: 2,
    onStdoutLine: (line) => {
      lines.push(line);
      return undefined;
    },
  });
  if (outcome.startError !== undefined) return { ...failed, startFailed: true };
  return outcome.exitCode === 0 ? { models: readModels(lines), failed: false } : failed;
};

export const readModels = (lines: readonly string[]): readonly AdapterModel[] => {
  const ids = lines
    .map((line) => line.trim().split(/\s+/)[0] ?? "")
    .filter((word) => /^[^/]+\/./.test(word) && word.length <= 200);
  return [...new Set(ids)].sort().map((id) => ({ id, label: id }));
};
