import { AnswerConfirmation } from "./answer-confirmation.tsx";
import { AnswerPermission } from "./answer-permission.tsx";
import { DecideApproval } from "./decide-approval.tsx";
import type { EntryProps } from "./entry.ts";
import { OtherActions } from "./other-actions.tsx";
import { ReviewIssue } from "./review-issue.tsx";

/** The actions on an entry, where it stands. */
export const InboxActions = (props: EntryProps) => {
  switch (props.entry.kind) {
    case "approval":
      return <DecideApproval {...props} />;
    case "confirmation":
      return <AnswerConfirmation {...props} />;
    case "permission":
      return <AnswerPermission {...props} />;
    case "review":
      return <ReviewIssue {...props} />;
    default:
      return <OtherActions {...props} />;
  }
};
