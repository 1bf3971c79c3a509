import { useState } from "react";
import { type AnswerOf, type RowOf, useWrite } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { assigneeOf } from "../../nouns/issues/assignees.ts";
import {
  type Changed,
  type Changes,
  differs,
  hasWayBack,
  labelsAfter,
  mostAtOnce,
  nothingChanged,
  undoableSec,
  useUndoOfIssues,
} from "../../nouns/issues/change-issues.ts";
import { useToasts } from "../../widgets/toasts.tsx";

type Issue = RowOf<"issues.list">;

const counted = (issues: number): string => (issues === 1 ? "1 issue" : `${issues} issues`);

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
  /** `done` says what has happened to "5 issues". */
  const change = (to: Changes, done: (subject: string) => string) => {
    const chosen = issues.slice(0, mostAtOnce);
    const undoable = chosen.some((before) => hasWayBack(before, to)) ? { undoableSec } : {};
    update.runAndWait({ companyId, issueIds: chosen.map(({ id }) => id), ...to, ...undoable }).then(
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
        const different = changed.filter(({ before, after }) => differs(before, after));
        if (different.length > 0) say.done(done(counted(different.length)), undo(different));
        else if (changed.length > 0) say.done(nothingChanged);
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
