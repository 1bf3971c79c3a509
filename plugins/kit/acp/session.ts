import type { SessionCodec } from "../../../ports/agent-adapter.ts";
import { asObject, asText } from "../json.ts";

/** A conversation that an agent keeps. */
export interface AcpSession {
  readonly sessionId: string;
  readonly cwd: string;
  /** The preset and the command that keep it. */
  readonly agent: string;
  readonly command: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Its dollars so far, over all runs; null where the agent does not tell. */
  readonly cost: number | null;
}

/** Returns null for anything else. */
export const asAcpSession = (raw: unknown): AcpSession | null => {
  const { sessionId, cwd, agent, command, createdAt, cost } = asObject(raw) ?? {};
  const texts = [sessionId, cwd, agent, command, createdAt].map(asText);
  if (texts.some((one) => one === "" || one.length > 4_096 || one.includes("\0"))) return null;
  if (Number.isNaN(Date.parse(asText(createdAt)))) return null;
  return {
    sessionId: asText(sessionId),
    cwd: asText(cwd),
    agent: asText(agent),
    command: asText(command),
    createdAt: asText(createdAt),
    cost: typeof cost === "number" && cost >= 0 && Number.isFinite(cost) ? cost : null,
  };
};

const plain = (session: AcpSession | null) => (session === null ? null : { ...session });

export const sessionCodec: SessionCodec = {
  deserialize: (raw) => plain(asAcpSession(raw)),
  serialize: (params) => plain(asAcpSession(params)),
  getDisplayId: (params) => asAcpSession(params)?.sessionId ?? null,
};
