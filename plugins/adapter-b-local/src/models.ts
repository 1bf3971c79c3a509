import { createHash } from "node:crypto";
import type { AdapterModel, ModelsContext } from "../../../ports/agent-adapter.ts";
import { asObject, asObjects, asText } from "../../kit/json.ts";

/** Models built into the command line; it accepts any id its account may use. */
export const models: readonly AdapterModel[] = [
  "gpt-5.6-sol",
  "gpt-5.5",
  "gpt-5.4",
  "gpt-5.4-mini",
  "gpt-5.3-codex",
  "gpt-5.2-codex",
  "gpt-5.2",
  "gpt-5.1-codex-max",
  "gpt-5.1-codex-mini",
  "gpt-5.1-codex",
  "gpt-5.1",
  "gpt-5-codex",
  "gpt-5",
].map((id) => ({ id, label: id }));

const askMs = 5_000;
const freshMs = 60_000;
const maxBytes = 4 * 1024 * 1024;

interface Discovery {
  readonly models: readonly AdapterModel[];
  readonly at: number;
}

/** The last good list by company and account: hashed, because it is no place for keys. */
const discoveries = new Map<string, Discovery>();

/**
 * Returns the provider's models for the account's key merged with the built-in ones; without a key or an answer only
 * the built-in ones.
 */
export const listModels = async ({
  companyId,
  env,
  refresh,
}: Pick<ModelsContext, "companyId" | "env" | "refresh">): Promise<readonly AdapterModel[]> => {
  const key = env.OPENAI_API_KEY;
  if (!key) return models;
  const base = (env.OPENAI_BASE_URL || "https://api.openai.com/v1").replace(/(?<!\/)\/+$/, "");
  const account = createHash("sha256")
    .update(JSON.stringify([companyId, base, key]))
    .digest("hex");
  const known = discoveries.get(account);
  if (known !== undefined && refresh !== true && performance.now() - known.at < freshMs) return known.models;
  const ids = await ask(base, key).catch(() => []);
  if (ids.length === 0) return known?.models ?? models;
  const merged = merge(ids);
  discoveries.set(account, { models: merged, at: performance.now() });
  return merged;
};

const ask = async (base: string, key: string): Promise<readonly string[]> => {
  const answer = await fetch(`${base}/models`, {
    headers: { authorization: `Bearer ${key}` },
    // Sends the key to no other server: a redirect counts as a failure. Not "error": Node's fetch then forgets the signal
    // when memory is collected (undici's issue 4627).
    redirect: "manual",
    signal: AbortSignal.timeout(askMs),
  });
  if (!answer.ok || Number(answer.headers.get("content-length") ?? 0) > maxBytes) {
    await answer.body?.cancel();
    return [];
  }
  return asObjects(asObject(await answer.json())?.data)
    .map(({ id }) => asText(id).trim())
    .filter((id) => id !== "" && id.length <= 200);
};

const merge = (ids: readonly string[]): readonly AdapterModel[] => {
  const byId = new Map(
    [...models, ...ids.map((id) => ({ id, label: id }))].map((model) => [model.id, model]),
  );
  return [...byId.values()].sort((one, other) =>
    one.id.localeCompare(other.id, "en", { numeric: true, sensitivity: "base" }),
  );
};
