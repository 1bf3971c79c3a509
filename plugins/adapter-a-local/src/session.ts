import type { SessionCodec } from "../../../ports/agent-adapter.ts";
import { asObject } from "../../kit/json.ts";

export interface ClaudeSession {
  readonly sessionId: string;
  /** The program keeps sessions by directory: elsewhere it does not find them. */
  readonly cwd: string;
}

/** null for anything else. An id becomes an argument, so it must not look like an option. */
export const asSession = (raw: unknown): ClaudeSession | null => {
  const session = asObject(raw);
  const { sessionId, cwd } = session ?? {};
  if (typeof sessionId !== "string" || !/^[A-Za-z0-9][\w-]{0,199}$/.test(sessionId)) return null;
  return typeof cwd === "string" && cwd !== "" ? { sessionId, cwd } : null;
};

const plain = (session: ClaudeSession | null) => (session === null ? null : { ...session });

export const sessionCodec: SessionCodec = {
  deserialize: (raw) => plain(asSession(raw)),
  serialize: (params) => plain(asSession(params)),
  getDisplayId: (params) => asSession(params)?.sessionId ?? null,
};
