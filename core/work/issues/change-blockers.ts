import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { requireRoom } from "../../access/require-room.ts";
import type { Issue } from "../../model/issues/issue.ts";
import type { IssueStatus } from "../../model/issues/issue-status.ts";
import { closesCircle } from "../../model/shared/circle.ts";
import { ReferenceNotFound, WouldFormACycle } from "../../model/shared/failure.ts";
import type { CompanyId, IssueId } from "../../model/shared/ids.ts";

export interface Blockers {
  readonly openBlockers: readonly IssueId[];
  readonly blockersChanged: boolean;
  /** The last open blocker was removed. */
  readonly isFreed: boolean;
}

interface ChangeBlockers {
  /** Missing: they stay. */
  readonly blockedByIssueIds?: readonly IssueId[] | undefined;
  readonly assigneeAgentId?: string | null | undefined;
  readonly status?: IssueStatus | undefined;
}

/** Replaces the blockers where the request names them. Returns those that remain open. */
export const changeBlockers = Effect.fnUntraced(function* (
  stores: Stores,
  issue: Issue,
  { blockedByIssueIds, assigneeAgentId, status }: ChangeBlockers,
  openBefore: readonly IssueId[],
) {
  const isWaiting = openBefore.length > 0;
  if (blockedByIssueIds === undefined) {
    // Closing the last blocker wakes the assignee at that moment, so a new assignee is checked again under that lock.
    const mayBecomeReady = isWaiting && (assigneeAgentId !== undefined || status !== undefined);
    if (mayBecomeReady) yield* stores.issues.holdLinks(issue.companyId);
    const openBlockers = mayBecomeReady ? yield* stores.issues.openBlockers(issue.id) : openBefore;
    return { openBlockers, blockersChanged: false, isFreed: false };
  }
  const blockersChanged = yield* replaceBlockers(stores, issue, [...new Set(blockedByIssueIds)]);
  const openBlockers = yield* stores.issues.openBlockers(issue.id);
  return { openBlockers, blockersChanged, isFreed: isWaiting && openBlockers.length === 0 };
});

/** Refuses one more issue of those that each of the blockers blocks. */
export const requireRoomToBlock = Effect.fnUntraced(function* (
  stores: Stores,
  companyId: CompanyId,
  blockers: readonly IssueId[],
) {
  yield* Effect.forEach(blockers, (blocker) => requireRoom(stores, "blockedIssues", companyId, blocker), {
    concurrency: "unbounded",
    discard: true,
  });
});

/** Stores the blockers; refuses one that does not exist or that the issue blocks. Returns whether they changed. */
const replaceBlockers = Effect.fnUntraced(function* (
  stores: Stores,
  { id, companyId }: Issue,
  blockedBy: readonly IssueId[],
) {
  const [existing, links] = yield* Effect.all(
    [stores.issues.existing(blockedBy, companyId), stores.issues.lockBlockerLinks(companyId, id, blockedBy)],
    { concurrency: "unbounded" },
  );
  if (existing.length < blockedBy.length) yield* Effect.fail(ReferenceNotFound.at("blockedByIssueIds"));
  if (blockedBy.some((blocker) => closesCircle(id, blocker, links)))
    yield* Effect.fail(new WouldFormACycle({ path: ["blockedByIssueIds"] }));
  const earlier = links.get(id) ?? [];
  yield* requireRoomToBlock(
    stores,
    companyId,
    blockedBy.filter((blocker) => !earlier.includes(blocker)),
  );
  yield* stores.issues.replaceBlockers(companyId, id, blockedBy);
  return earlier.length !== blockedBy.length || blockedBy.some((blocker) => !earlier.includes(blocker));
});
