import { useQueryClient } from "@tanstack/react-query";
import { type IssueStatus, mayPeopleMove } from "../../../../core/model/issues/issue-status.ts";
import { call, type InputOf, invalidate, type RowOf, useWrite } from "../../live/calls.ts";
import { changeAhead } from "../../live/change-ahead.ts";
import type { Issue } from "../../live/records.ts";
import { undoMs, useToasts } from "../../widgets/toasts.tsx";
import { type AssigneeFields, assigneeOf } from "./assignees.ts";

/** The fields of an issue that are changed where they are shown, and can be changed back. */
const changeable = [
  "status",
  "priority",
  "assigneeAgentId",
  "assigneeUserId",
  "projectId",
  "goalId",
  "parentId",
] as const;

export interface Changeable extends Pick<RowOf<"issues.list">, (typeof changeable)[number]> {
  readonly id: string;
  readonly companyId: string;
  readonly identifier: string;
  readonly labels?: readonly { readonly id: string }[] | undefined;
  readonly callerMay?: Pick<Issue["callerMay"], "checkout"> | undefined;
}

/** One issue before and after a change. */
export interface Changed {
  readonly before: Changeable;
  readonly after: Changeable & { readonly updatedAt: string };
}

export type Changes = Pick<
  InputOf<"issues.updateMany">,
  (typeof changeable)[number] | "addLabelIds" | "removeLabelIds"
>;

type Labels = NonNullable<Changeable["labels"]>;

/** The labels of an issue after a change. */
export const labelsAfter = (
  labels: Labels,
  { addLabelIds = [], removeLabelIds = [] }: Pick<Changes, "addLabelIds" | "removeLabelIds">,
): Labels => [
  ...labels.filter(({ id }) => !addLabelIds.includes(id) && !removeLabelIds.includes(id)),
  ...addLabelIds.map((id) => ({ id })),
];

/** The change that undoes another of the labels of an issue; without fields where that changed none. */
const labelsBack = ({ before, after }: Changed): Pick<Changes, "addLabelIds" | "removeLabelIds"> => {
  if (after.labels === undefined) return {};
  const had = (before.labels ?? []).map(({ id }) => id);
  const has = after.labels.map(({ id }) => id);
  const lost = had.filter((id) => !has.includes(id));
  const got = has.filter((id) => !had.includes(id));
  return {
    ...(lost.length === 0 ? {} : { addLabelIds: lost }),
    ...(got.length === 0 ? {} : { removeLabelIds: got }),
  };
};

/** Whether an issue is other than it was. */
export const differs = (before: Changeable, after: Changeable): boolean => {
  const labelsOf = ({ labels = [] }: Changeable) => labels.map(({ id }) => id).sort();
  return (
    changeable.some((field) => before[field] !== after[field]) ||
    (after.labels !== undefined && labelsOf(before).join() !== labelsOf(after).join())
  );
};

/** The toast of a change that gives what is there already. */
export const nothingChanged = "Nothing to change";

/** Whether people may move the issue to a status. */
export const mayGo = (issue: Pick<Changeable, "status"> & AssigneeFields, to: IssueStatus): boolean =>
  mayPeopleMove({ status: issue.status, isAssigned: assigneeOf(issue) !== null }, to);

/** Whether the lifecycle lets an issue be again as it was before the change. */
export const hasWayBack = (before: Changeable, { status }: Pick<Changes, "status">): boolean =>
  status === undefined || status === before.status || mayGo({ ...before, status }, before.status);

/** The change that makes an issue as it was; null where nothing has changed, or the lifecycle has no way back. */
const undoOf = ({ before, after }: Changed): Changes | null => {
  const changes: Changes = {
    ...Object.fromEntries(
      changeable.filter((field) => before[field] !== after[field]).map((field) => [field, before[field]]),
    ),
    ...labelsBack({ before, after }),
  };
  return Object.keys(changes).length === 0 || !hasWayBack(before, { status: after.status }) ? null : changes;
};

/** Whether what would be changed back is still as the change left it. */
const isStill = (after: Changeable, now: Changeable, undo: Changes): boolean =>
  changeable.every((field) => undo[field] === undefined || now[field] === after[field]);

/** The issues that changed since, by id. */
const issuesSince = async (companyId: string, updatedSince: string): Promise<Map<string, Changeable>> => {
  const found = new Map<string, Changeable>();
  let cursor: string | undefined;
  do {
    const page = await call("issues.list", {
      companyId,
      updatedSince,
      sort: "created",
      slim: true,
      limit: 1_000,
      cursor,
    });
    for (const issue of page.items) found.set(issue.id, issue);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return found;
};

const changeMany = (companyId: string, issueIds: readonly string[], changes: Changes) =>
  call("issues.updateMany", { companyId, issueIds: [...issueIds], ...changes });

/** How long a change is offered to be undone, and some seconds for the way to the service: agents start afterwards. */
export const undoableSec = undoMs / 1000 + 2;

/** As many as one call changes. */
export const mostAtOnce = 100;

/**
 * Offers what undoes a change of issues, each to what it was before; undefined where none has a way back. What somebody
 * else changed meanwhile stays, and is named.
 */
export const useUndoOfIssues = (): ((changed: readonly Changed[]) => (() => void) | undefined) => {
  const queries = useQueryClient();
  const say = useToasts();
  const undo = async (changed: readonly Changed[], stuck: readonly string[]) => {
    const [first] = changed;
    const { companyId } = first!.after;
    const updatedSince = changed.map(({ after }) => after.updatedAt).sort()[0]!;
    const present = await issuesSince(companyId, updatedSince);
    const kept = stuck.length === 0 ? [] : [`Couldn't undo ${stuck.join(", ")}.`];
    const groups = new Map<string, { readonly changes: Changes; readonly issueIds: string[] }>();
    for (const each of changed) {
      const changes = undoOf(each)!;
      const now = present.get(each.after.id);
      if (now !== undefined && !isStill(each.after, now, changes)) {
        kept.push(`${now.identifier} has changed since and stays as it is.`);
        continue;
      }
      const key = JSON.stringify(changes);
      const group = groups.get(key) ?? { changes, issueIds: [] };
      group.issueIds.push(each.after.id);
      groups.set(key, group);
    }
    for (const { changes, issueIds } of groups.values())
      for (const { issueId, refusal } of await changeMany(companyId, issueIds, changes))
        if (refusal !== null) {
          const { identifier } = changed.find(({ after }) => after.id === issueId)!.after;
          kept.push(`${identifier}: ${refusal.error}`);
        }
    if (kept.length > 0) say.refused(new Error(kept.join(" ")));
  };
  return (changed) => {
    const undoable = changed.filter((each) => undoOf(each) !== null);
    if (undoable.length === 0) return undefined;
    const stuck = changed.flatMap(({ before, after }) =>
      hasWayBack(before, after) ? [] : [after.identifier],
    );
    return () =>
      void undo(undoable, stuck)
        .catch(say.refused)
        .finally(() => invalidate(queries, "issues"));
  };
};

/** Changes one issue: shown at once, taken back where the service refuses, with an undo where there is a way back. */
export const useChangeIssue = (options: { readonly onRefused?: (error: Error) => void } = {}) => {
  const queries = useQueryClient();
  const say = useToasts();
  const undo = useUndoOfIssues();
  const update = useWrite("issues.update", {
    ahead: ({ issueId, undoableSec: _, ...changes }) => changeAhead(queries, "issues", issueId, changes),
    ...options,
  });
  const change = (before: Changeable, changes: Changes, message: string) => {
    const undoable = hasWayBack(before, changes) ? { undoableSec } : {};
    update.runAndWait({ issueId: before.id, ...changes, ...undoable }).then(
      (after) =>
        differs(before, after) ? say.done(message, undo([{ before, after }])) : say.done(nothingChanged),
      () => {
        // `error` is shown where the change was made.
      },
    );
  };
  return { change, error: update.error };
};
