import type {
  ExecuteContext,
  LimitWindow,
  McpServerOfRun,
  TokenUsage,
} from "../../../ports/agent-adapter.ts";
import type { Json } from "../json.ts";
import type { Messages } from "../messages.ts";
import type { AcpConfig } from "./config.ts";
import type { AcpSession } from "./session.ts";
import { newTurn, type Turn } from "./turn.ts";

/** The parts of a conversation with an agent that its caller provides. */
export interface Around {
  readonly config: AcpConfig;
  readonly cwd: string;
  /** The environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Those of the company. */
  readonly mcpServers?: readonly McpServerOfRun[] | undefined;
  /** A folder outside of the workspace that the session adds; null: none. */
  readonly addedFolder?: string | null;
  /** The session to continue. */
  readonly session: AcpSession | null;
  readonly prompt: (isNew: boolean) => string;
  /** Absent: nobody can be asked. */
  readonly askPermission?: ExecuteContext["askPermission"];
  /** Absent: nobody says anything. */
  readonly messages?: Messages | null;
  readonly onTaken?: ExecuteContext["onTaken"];
  readonly messagesAgain?: ExecuteContext["messagesAgain"];
  /** Called with the windows of the account's usage that the agent tells. */
  readonly onLimits?: (windows: readonly LimitWindow[]) => void;
  /** Adds a line to the run's log. */
  readonly note: (line: string) => void;
  /** Called with the session as soon as there is one, and when its cost has grown: by so many dollars in this conversation. */
  readonly onSession: (session: AcpSession, costUsd: number | null) => void;
}

/** How a conversation went. */
export interface Conversation {
  readonly turn: Turn;
  /** The session as it is now; null before there was one. */
  session: AcpSession | null;
  /** The cost of the session before this conversation. */
  costBefore: number | null;
  /** The answer to the prompt; null where it did not come. */
  answer: Json | null;
  /** Why it ended without an answer. */
  error: unknown;
  /** The agent's ways to sign in. */
  authMethods: readonly string[];
  /** A request to use a tool was refused. */
  hasRefused: boolean;
  /** The use of the turns before the last one. */
  usageBefore: TokenUsage | null;
}

export const newConversation = (): Conversation => ({
  turn: newTurn(),
  session: null,
  costBefore: null,
  answer: null,
  error: null,
  authMethods: [],
  hasRefused: false,
  usageBefore: null,
});

/** Whether the turn did nothing that we know. */
export const isEmpty = ({ texts, calls }: Turn): boolean => texts.length === 0 && calls.size === 0;

/** Returns the dollars of this conversation: the agent reports those of its session. null where it does not. */
export const spentOf = ({ turn: { cost }, costBefore }: Conversation): number | null => {
  if (cost === null) return null;
  const before = costBefore ?? 0;
  // An agent that has begun to count anew says less than before.
  return cost < before ? cost : cost - before;
};
