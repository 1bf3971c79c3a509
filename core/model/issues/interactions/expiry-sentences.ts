/** Why an interaction expired without an answer. Refusals and the board page say the same sentence. */
export const expirySentences = {
  superseded_by_comment: "A comment has replaced the interaction.",
  stale_target: "The interaction's target has changed since.",
  issue_closed: "The issue has been closed.",
  unanswered: "Nobody answered in time.",
  run_ended: "The run that asked has ended.",
} as const;
