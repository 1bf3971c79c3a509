import { useState } from "react";
import { type AnswerOf, type RowOf, useWrite } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { assigneeOf } from "../../nouns/issues/assignees.ts";
import {
  type Changed,
  type Changes,
  labelsAfter,
  mostAtOnce,
  useUndoOfIssues,
} from "../../nouns/issues/change-issues.ts";
import { useToasts } from "../../widgets/toasts.tsx";

type Issue = RowOf<"issues.list">;

const isAssigning = ({ assigneeAgentId, assigneeUserId }: Changes): boolean =>
  (assigneeAgentId ?? assigneeUserId ?? null) !== null;

/**
 * Makes the same change to all chosen issues. Undoing makes each what it was; those that were refused are named, and the
 * others are changed.
 */
export const useBulkChange = (issues: readonly Issue[], onDone: () => void) => {
  const { id: companyId } = useCompany();
  const say = useToasts();
  const undo = useUndoOfIssues();
  const [refused, setRefused] = useState<AnswerOf<"issues.updateMany">>([]);
  /** Issues that got an assignee and stay in the backlog, where nobody begins with them. */
  const [waiting, setWaiting] = useState<readonly string[]>([]);
  const update = useWrite("issues.updateMany");
  const change = (to: Changes) => {
    const chosen = issues.slice(0, mostAtOnce);
    update.runAndWait({ companyId, issueIds: chosen.map(({ id }) => id), ...to }).then(
      (results) => {
        const failed = results.filter(({ refusal }) => refusal !== null);
        const changed = results.flatMap(({ issueId, issue }): Changed[] => {
          const before = chosen.find(({ id }) => id === issueId);
          if (issue === null || before === undefined) return [];
          return [{ before, after: { ...issue, labels: labelsAfter(before.labels ?? [], to) } }];
        });
        setRefused(failed);
        const stay = changed.filter(
          ({ after }) => isAssigning(to) && after.status === "backlog" && assigneeOf(after) !== null,
        );
        setWaiting(stay.map(({ after }) => after.id));
        if (changed.length > 0)
          say.done(
            changed.length === 1 ? "1 issue is changed." : `${changed.length} issues are changed.`,
            undo(changed),
          );
        if (failed.length === 0 && stay.length === 0) onDone();
      },
      () => {
        // The bar shows `error`.
      },
    );
  };
  /** Starts those that wait. */
  const start = () =>
    update.run(
      { companyId, issueIds: [...waiting], status: "todo" },
      {
        onSuccess: (results) => {
          const failed = results.filter(({ refusal }) => refusal !== null);
          setRefused(failed);
          setWaiting([]);
          say.done(`${results.length - failed.length} of ${results.length} start.`);
          if (failed.length === 0) onDone();
        },
      },
    );
  return { change, refused, waiting, start, busy: update.busy, error: update.error };
};
