import type { Moves } from "../../shared/moves.ts";

export const interactionKinds = ["suggest_tasks", "ask_user_questions", "request_confirmation"] as const;
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
    expired: "human comment, stale target or closed issue",
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
