import { lazy, Suspense, useState } from "react";
import { Button } from "../../widgets/button.tsx";
import type { ReviewDraft } from "./review-draft.ts";

const ReviewDialog = lazy(async () => ({ default: (await import("./review-dialog.tsx")).ReviewDialog }));

interface ReviewButtonProps {
  readonly issueId: string;
  /** Whether a gate names the reader, who may give a verdict then. */
  readonly mayJudge: boolean;
  readonly kind?: "main" | "plain";
  /** The comments so far, where they are shown around the button, too. */
  readonly review?: ReviewDraft;
}

/** Opens the review of an issue's changes, whose code is loaded then. */
export const ReviewButton = ({ issueId, mayJudge, kind = "plain", review }: ReviewButtonProps) => {
  const [isOpen, setOpen] = useState(false);
  const count = review?.comments.length ?? 0;
  return (
    <>
      <Button kind={kind} onClick={() => setOpen(true)}>
        Review{count === 0 ? "" : ` (${count})`}
      </Button>
      {isOpen ? (
        <Suspense>
          <ReviewDialog
            issueId={issueId}
            mayJudge={mayJudge}
            review={review}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
};
