/** Why an interaction expired without an answer. Refusals and the board page say the same sentence. */
export const expirySentences = {
  superseded_by_comment: "Closed by a newer comment.",
  stale_target: "What this asked about has changed.",
  issue_closed: "The issue was closed.",
  unanswered: "No answer in time.",
  run_ended: "The run that asked has ended.",
} as const;
