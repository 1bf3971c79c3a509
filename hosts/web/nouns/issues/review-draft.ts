import { useMemo } from "react";
import type { InputOf } from "../../live/calls.ts";
import { useDraft } from "../../widgets/drafts.ts";
import { locationName } from "./location-name.ts";

/** A comment on lines that is sent with the review. */
export type PendingComment = Required<Omit<InputOf<"issues.commentOnLines">["comments"][number], "body">> & {
  readonly body: string;
};

export const pendingName = ({ path, side, line, endLine }: PendingComment): string =>
  locationName({ path, side, startLine: line, endLine });

/** The review that a person writes: comments on lines that nobody else sees yet. */
export interface ReviewDraft {
  readonly comments: readonly PendingComment[];
  readonly add: (comment: PendingComment) => void;
  readonly remove: (comment: PendingComment) => void;
  readonly clear: () => void;
}

const parsed = (text: string): readonly PendingComment[] => (text === "" ? [] : JSON.parse(text));

/** The review of an issue as it is written in this tab; like every draft it survives a reload. */
export const useReviewDraft = (issueId: string): ReviewDraft => {
  const [text, setText] = useDraft(`review of ${issueId}`);
  const comments = useMemo(() => parsed(text), [text]);
  const keep = (next: readonly PendingComment[]) => setText(next.length === 0 ? "" : JSON.stringify(next));
  return {
    comments,
    add: (comment) => keep([...comments, comment]),
    remove: (comment) => keep(comments.filter((each) => each !== comment)),
    clear: () => keep([]),
  };
};
