import type { ExecuteContext, SessionCodec } from "../../ports/agent-adapter.ts";
import { asObject } from "./json.ts";

/** A conversation that a command-line program stores on this machine. */
export interface CliSession {
  readonly sessionId: string;
  /** The program stores sessions by directory: elsewhere it does not find them, or works in the wrong directory. */
  readonly cwd: string;
}

/** Returns null for anything else. An id becomes an argument, so it must not look like an option. */
export const asSession = (raw: unknown): CliSession | null => {
  const session = asObject(raw);
  const { sessionId, cwd } = session ?? {};
  if (typeof sessionId !== "string" || !/^[A-Za-z0-9][\w-]{0,199}$/.test(sessionId)) return null;
  return typeof cwd === "string" && cwd !== "" ? { sessionId, cwd } : null;
};

const plain = (session: CliSession | null) => (session === null ? null : { ...session });

export const sessionCodec: SessionCodec = {
  deserialize: (raw) => plain(asSession(raw)),
  serialize: (params) => plain(asSession(params)),
  getDisplayId: (params) => asSession(params)?.sessionId ?? null,
};

/** Returns the session to resume; null for a new one. */
export const resumable = async ({ runtime, cwd, onLog }: ExecuteContext): Promise<string | null> => {
  const session = asSession(runtime.sessionParams);
  if (session === null) return null;
  if (session.cwd === cwd) return session.sessionId;
  await onLog(
    "system",
    `Session ${session.sessionId} belongs to ${session.cwd}; starting a new one in ${cwd}.\n`,
  );
  return null;
};

/** Does not wait: the report matters for a lost run only, because the result repeats it. */
export const saySession = (context: ExecuteContext, sessionId: string | null): void => {
  const session = asSession({ sessionId, cwd: context.cwd });
  if (session !== null) void context.onSession?.({ ...session }, session.sessionId).catch(() => undefined);
};

/** Returns the session for a result. */
export const sessionOf = ({ cwd }: ExecuteContext, sessionId: string | null) => {
  const session = asSession({ sessionId, cwd });
  return session === null ? {} : { sessionParams: { ...session }, sessionDisplayId: session.sessionId };
};
