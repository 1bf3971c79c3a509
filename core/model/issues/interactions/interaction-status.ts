import type { Moves } from "../../shared/moves.ts";

/** The kinds that callers make. */
export const askedKinds = ["suggest_tasks", "ask_user_questions", "request_confirmation"] as const;
export type AskedKind = (typeof askedKinds)[number];

/** All kinds, including the one for permissions that a run's program asks for. */
export const interactionKinds = [...askedKinds, "request_permission"] as const;
export type InteractionKind = (typeof interactionKinds)[number];

export const interactionStatuses = [
  "pending",
  "accepted",
  "rejected",
  "answered",
  "expired",
  "cancelled",
] as const;
export type InteractionStatus = (typeof interactionStatuses)[number];

export const interactionMoves = {
  pending: {
    accepted: "accept",
    rejected: "reject",
    answered: "respond",
    expired: "human comment, stale target, closed issue, no answer in time or ended run",
    cancelled: "cancel",
  },
  accepted: {},
  rejected: {},
  answered: {},
  expired: {},
  cancelled: {},
} satisfies Moves<InteractionStatus>;

export const continuationPolicies = ["none", "wake_assignee"] as const;
export type ContinuationPolicy = (typeof continuationPolicies)[number];
