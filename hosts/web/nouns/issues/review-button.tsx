import { lazy, Suspense, useState } from "react";
import { isMetered } from "../../live/metered.ts";
import { Button } from "../../widgets/button.tsx";
import type { ReviewDraft } from "./review-draft.ts";

const loadDialog = () => import("./review-dialog.tsx");
const ReviewDialog = lazy(async () => ({ default: (await loadDialog()).ReviewDialog }));

interface ReviewButtonProps {
  readonly issueId: string;
  /** Whether a gate names the reader, who may give a verdict then. */
  readonly mayJudge: boolean;
  readonly kind?: "main" | "plain";
  /** The comments so far, where they are shown around the button, too. */
  readonly review?: ReviewDraft;
}

/** Opens the review of an issue's changes. Its code is loaded when the pointer or the focus is on the button. */
export const ReviewButton = ({ issueId, mayJudge, kind = "plain", review }: ReviewButtonProps) => {
  const [isOpen, setOpen] = useState(false);
  const begin = () => (isMetered() ? undefined : void loadDialog().catch(() => {}));
  const count = review?.comments.length ?? 0;
  return (
    <>
      <Button kind={kind} onPointerEnter={begin} onFocus={begin} onClick={() => setOpen(true)}>
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
