import * as Effect from "effect/Effect";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import {
  type CommentLocation,
  linesOfText,
  locationLimits,
  quotedLines,
} from "../../model/issues/comments/comment-location.ts";
import { ChangesUnavailable, changesLimits } from "../../model/repositories/issue-changes.ts";
import { RepositoryNotFound } from "../../model/repositories/repository.ts";
import { ValidationFailed } from "../../model/shared/failure.ts";
import type { IssueId } from "../../model/shared/ids.ts";
import type { AskedLocation } from "../../work/issues/comments/line-comments.ts";
import { branchesToShow, comparedWith } from "../repositories/branches-to-show.ts";

const invalid = (field: keyof AskedLocation, code: string, message: string) =>
  Effect.fail(new ValidationFailed([{ path: [field], code, message }]));

/** Reads the lines that a comment is about; null: it is about the issue. */
export const findLocation = (context: UseCaseContext, codeStores: CodeStores) =>
  Effect.fnUntraced(function* (issueId: IssueId, asked: AskedLocation) {
    const { path, line, endLine = line, side = "new", commit, repositoryId } = asked;
    if (path === undefined) {
      for (const field of ["line", "endLine", "side", "commit", "repositoryId"] as const)
        if (asked[field] !== undefined) yield* invalid("path", "required", `is required with ${field}`);
      return null;
    }
    if (line === undefined || endLine === undefined)
      return yield* invalid("line", "required", "is required with path");
    if (endLine < line || endLine - line >= locationLimits.lines)
      yield* invalid(
        "endLine",
        "out_of_range",
        `must not be before line, and the range can have at most ${locationLimits.lines} lines`,
      );
    const all = yield* branchesToShow(context, issueId);
    const [shown, other] = all.filter(({ repository }) => repository.id === (repositoryId ?? repository.id));
    if (shown === undefined)
      return yield* Effect.fail(
        repositoryId === undefined
          ? new ChangesUnavailable(undefined, "The issue has no changes yet.")
          : new RepositoryNotFound(),
      );
    if (other !== undefined)
      yield* invalid("repositoryId", "required", "is required: several repositories have changes");
    const { branch } = shown;
    const read = Effect.gen(function* () {
      const { base } = yield* comparedWith({ ...context, codeStores }, shown);
      const newest = commit ?? branch.head;
      const head = side === "old" ? branch.head : newest;
      const at = side === "old" ? (commit ?? base) : newest;
      const isOfIssue =
        side === "old"
          ? at === base
          : (yield* codeStores.isAncestor(branch, base, at)) &&
            (yield* codeStores.isAncestor(branch, at, branch.head));
      if (!isOfIssue) return null;
      // Not all who may see the issue may read the rest of the repository.
      const { files } = yield* codeStores.changes(branch, { base, head }, changesLimits);
      const isChanged = files.some(
        (file) => path === (side === "old" ? (file.oldPath ?? file.path) : file.path),
      );
      return {
        at,
        text: isChanged ? yield* codeStores.file(branch, at, path, locationLimits.fileBytes) : null,
      };
    });
    const found = yield* read.pipe(
      Effect.mapError(({ message }) => new ChangesUnavailable(undefined, message)),
    );
    if (found === null)
      return yield* invalid(
        "commit",
        "unknown",
        "is no longer part of the issue's changes. Read the changes again",
      );
    const { at, text } = found;
    if (text === null)
      return yield* invalid("path", "unknown", "must be a changed text file of at most 2 MiB");
    const lines = linesOfText(text);
    if (endLine > lines.length)
      yield* invalid("line", "out_of_range", `must be at most ${lines.length}, the file's last line`);
    const range = { startLine: line, endLine };
    const location: CommentLocation = {
      ...range,
      repositoryId: branch.repositoryId,
      path,
      side,
      commit: at,
      lines: quotedLines(lines, range),
    };
    return location;
  });
