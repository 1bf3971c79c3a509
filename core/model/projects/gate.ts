import type { AgentId, UserId } from "../shared/ids.ts";

export const gateKinds = ["clean", "published", "command", "checks", "review"] as const;
export type GateKind = (typeof gateKinds)[number];

/** A condition that an issue meets before it is done: of all issues of a project, or of a single one. */
export interface Gate {
  /** Unique in its list. */
  readonly name: string;
  readonly kind: GateKind;
  /** Of a review: the agent or the person whose approval it takes. Both null for other kinds. */
  readonly reviewerAgentId: AgentId | null;
  readonly reviewerUserId: UserId | null;
  /** For /bin/sh, in a workspace at the commits; null for other kinds, and so the next two. */
  readonly command: string | null;
  readonly timeoutSec: number | null;
  /** How often its failures wake the agent before they wait for a person. */
  readonly maxWakes: number | null;
}
