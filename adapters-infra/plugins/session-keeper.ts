import type { LoadedSessionCodec } from "../../ports/adapter-registry.ts";
import type { ExecuteContext } from "../../ports/agent-adapter.ts";
import { isShallow, maxSessionChars, storableDeep } from "./execute-result.ts";
import { oneLine } from "./plain-text.ts";

type Params = Readonly<Record<string, unknown>>;

/** Converts sessions between adapter and store with the adapter's codec. Never fails: an invalid session is null. */
export interface SessionKeeper {
  /** Returns the stored session for the adapter; a fresh one where the codec rejects it. */
  restored(runtime: ExecuteContext["runtime"]): Promise<ExecuteContext["runtime"]>;
  /** Returns the session to store; null where the adapter reported none. */
  stored(
    params: Params,
    displayId: string | null,
  ): Promise<{ readonly params: Params; readonly displayId: string | null } | null>;
}

export const sessionKeeper = (codec: LoadedSessionCodec | null): SessionKeeper => {
  const asked = async (question: Promise<unknown> | undefined): Promise<Params | null> =>
    asParams(await question?.catch(() => null));
  return {
    restored: async (runtime) => {
      if (codec === null || runtime.sessionParams === null) return runtime;
      const sessionParams = await asked(codec.deserialize(runtime.sessionParams));
      if (sessionParams !== null) return { ...runtime, sessionParams };
      return { ...runtime, sessionParams: null, sessionId: null, sessionDisplayId: null };
    },
    stored: async (session, displayId) => {
      const given = asParams(session);
      const params = codec === null || given === null ? given : await asked(codec.serialize(given));
      if (params === null) return null;
      const named: unknown = displayId ?? (await codec?.getDisplayId(params).catch(() => null));
      return { params, displayId: typeof named === "string" ? oneLine(named, 300) || null : null };
    },
  };
};

const asParams = (value: unknown): Params | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) && isShallow(value, maxSessionChars)
    ? (storableDeep(value) as Params)
    : null;
