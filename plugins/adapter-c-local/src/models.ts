import type { AdapterModel, TestEnvironmentContext } from "../../../ports/agent-adapter.ts";
import { ConfigRefusal } from "../../kit/config.ts";
import { extraEnvironment, outerSessionVariables } from "./command-line.ts";
import { commandOf } from "./configuration.ts";

/** There is no list of ours: the program knows what its providers offer. */
export const models: readonly AdapterModel[] = [];

const limitSec = 20;
const freshMs = 60_000;
const pausesMs = [2_000, 4_000];

const discoveries = new Map<string, { readonly models: readonly AdapterModel[]; readonly at: number }>();

/** `provider/model` lines of `opencode models`; empty where it lists none, or cannot be asked. */
export const listModels = async (context: TestEnvironmentContext): Promise<readonly AdapterModel[]> => {
  let command: string;
  try {
    command = commandOf(context.config);
  } catch (refusal) {
    if (!(refusal instanceof ConfigRefusal)) throw refusal;
    return [];
  }
  const place = JSON.stringify([command, context.cwd, Object.keys(context.env).sort(), context.env.HOME]);
  const known = discoveries.get(place);
  if (known !== undefined && performance.now() - known.at < freshMs) return known.models;
  for (const pauseMs of [...pausesMs, null]) {
    const found = await ask(context, command);
    if (found.length > 0) {
      discoveries.set(place, { models: found, at: performance.now() });
      return found;
    }
    if (found.startFailed || pauseMs === null) break;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return [];
};

type Found = readonly AdapterModel[] & { readonly startFailed?: boolean };

const ask = async (context: TestEnvironmentContext, command: string): Promise<Found> => {
  const lines: string[] = [];
  const outcome = await context.runProcess({
    command,
    args: ["models"],
    env: extraEnvironment({ dangerouslySkipPermissions: false }, context.env),
    unsetEnv: outerSessionVariables,
    timeoutSec: limitSec,
    graceSec: 2,
    onStdoutLine: (line) => {
      lines.push(line);
      return undefined;
    },
  });
  if (outcome.startError !== undefined) return Object.assign([], { startFailed: true });
  return outcome.exitCode === 0 ? readModels(lines) : [];
};

export const readModels = (lines: readonly string[]): readonly AdapterModel[] => {
  const ids = lines
    .map((line) => line.trim().split(/\s+/)[0] ?? "")
    .filter((word) => /^[^/]+\/./.test(word) && word.length <= 200);
  return [...new Set(ids)].sort().map((id) => ({ id, label: id }));
};
