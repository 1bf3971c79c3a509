import * as Effect from "effect/Effect";
import type { Changes, CodeStores, Commit, StoreFailed } from "../../../ports/code-stores.ts";
import type { PageRequest } from "../../../ports/views/page.ts";
import type { Views } from "../../../ports/views.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import type { CommentLocation } from "../../model/issues/comments/comment-location.ts";
import { linesNow } from "../../model/issues/comments/lines-now.ts";
import { changesLimits } from "../../model/repositories/issue-changes.ts";
import type { IssueId } from "../../model/shared/ids.ts";
import type { LineComment } from "../../work/issues/comments/line-comments.ts";
import { type BranchToShow, branchesToShow, comparedWith } from "../repositories/branches-to-show.ts";
import type { SquashPorts } from "../repositories/squashed-before.ts";

interface ListLineComments extends PageRequest {
  readonly issueId: IssueId;
}

type Found = Pick<LineComment, "now" | "isOutdated">;

const unknown: Found = { now: null, isOutdated: false };
const outdated: Found = { now: null, isOutdated: true };

/** Lists the comments on lines of an issue's changes. */
export const listLineComments = (context: UseCaseContext, codeStores: CodeStores, views: Views) =>
  Effect.fnUntraced(function* ({ issueId, ...request }: ListLineComments) {
    const page = yield* views.issues.lineComments(issueId, request);
    const branches = page.items.length === 0 ? [] : yield* branchesToShow(context, issueId);
    const find = finder({ ...context, codeStores }, branches);
    return {
      ...page,
      items: yield* Effect.forEach(page.items, (comment) =>
        Effect.map(find(comment.location), (found): LineComment => ({ ...comment, ...found })),
      ),
    };
  });

/** Asks the stores once for each pair of commits, and for each file. */
const finder = (ports: SquashPorts, branches: readonly BranchToShow[]) => {
  const { codeStores } = ports;
  const known = new Map<string, unknown>();
  const once = <A>(key: string, ask: Effect.Effect<A, StoreFailed>): Effect.Effect<A, StoreFailed> =>
    Effect.suspend(() =>
      known.has(key)
        ? Effect.succeed(known.get(key) as A)
        : Effect.tap(ask, (answer) => Effect.sync(() => known.set(key, answer))),
    );
  const targetOf = (shown: BranchToShow, { side }: CommentLocation): Effect.Effect<Commit, StoreFailed> =>
    side === "new"
      ? Effect.succeed(shown.branch.head)
      : Effect.map(once(`base ${shown.repository.id}`, comparedWith(ports, shown)), ({ base }) => base);
  return (location: CommentLocation): Effect.Effect<Found> => {
    const shown = branches.find(({ repository }) => repository.id === location.repositoryId);
    if (shown === undefined) return Effect.succeed(unknown);
    const { branch } = shown;
    return Effect.gen(function* () {
      const { path, commit: base, startLine, endLine } = location;
      const head = yield* targetOf(shown, location);
      if (head === base) return here({ path, startLine, endLine });
      const between = `${location.repositoryId} ${base} ${head}`;
      const changes = yield* once(between, codeStores.changes(branch, { base, head }, changesLimits));
      const file = fileNow(changes, path);
      if (file === "unknown") return unknown;
      if (file === "same") return here({ path, startLine, endLine });
      if (file === "gone") return outdated;
      const paths = file.path === path ? [path] : [path, file.path];
      const patch = yield* once(
        `${between} ${path}`,
        codeStores.patch(branch, { base, head }, { paths, bytes: changesLimits.patchBytes }),
      );
      const lines = patch === null ? null : linesNow(patch, location);
      return lines === null ? outdated : here({ path: file.path, ...lines });
    }).pipe(Effect.orElseSucceed(() => unknown));
  };
};

const here = (now: NonNullable<LineComment["now"]>): Found => ({ now, isOutdated: false });

/** A file in the newer of two commits; unknown: more files differ than are listed. */
const fileNow = (
  { files, isCut }: Pick<Changes, "files" | "isCut">,
  path: string,
): "same" | "gone" | "unknown" | { readonly path: string } => {
  const file = files.find((each) => (each.status === "renamed" ? each.oldPath : each.path) === path);
  if (file === undefined) return isCut ? "unknown" : "same";
  if (file.status === "deleted" || file.status === "type_changed") return "gone";
  return { path: file.path };
};
