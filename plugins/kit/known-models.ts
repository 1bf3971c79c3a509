import { createHash } from "node:crypto";
import type { AdapterModel, ModelsContext } from "../../ports/agent-adapter.ts";

const freshMs = 60_000;

/**
 * The models that programs listed in the last minute, by company, command, directory and environment: without the temporary
 * folder and id of one call, and hashed, because the variables include keys.
 */
export const knownModels = <T extends { readonly models: readonly AdapterModel[] }>() => {
  const lists = new Map<string, { readonly list: T; readonly at: number }>();
  const keyOf = ({ companyId, config, env }: ModelsContext, command: readonly string[]): string => {
    const { SERVICE_RUN_ID: _, ...others } = env;
    const variables = Object.entries(others).sort(([one], [other]) => (one < other ? -1 : 1));
    return createHash("sha256")
      .update(JSON.stringify([companyId, command, config.cwd ?? null, variables]))
      .digest("hex");
  };
  /** Returns the known list, unless it is to be read again; else asks, and keeps a list that is not empty. */
  return async (context: ModelsContext, command: readonly string[], ask: () => Promise<T>): Promise<T> => {
    const key = keyOf(context, command);
    const now = performance.now();
    for (const [each, { at }] of lists) if (now - at >= freshMs) lists.delete(each);
    const known = lists.get(key);
    if (known !== undefined && context.refresh !== true) return known.list;
    const list = await ask();
    if (list.models.length > 0) lists.set(key, { list, at: performance.now() });
    return list;
  };
};
