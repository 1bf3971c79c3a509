import type { z } from "zod";
import { describeLines, withLocation } from "../../../core/model/issues/comments/comment-location.ts";
import type { CommentShape, LineCommentShape } from "../../api/issues/issue-shapes.ts";
import { type Paper, someone } from "../print/cells.ts";
import { ago } from "../print/format.ts";
import { indented } from "../print/sections.ts";
import { oneLine } from "../print/table.ts";

type ShownComment = Pick<
  z.output<typeof CommentShape>,
  "authorAgentId" | "authorUserId" | "createdAt" | "body"
> &
  Partial<Pick<z.output<typeof LineCommentShape>, "editedAt" | "deletedAt" | "now" | "isOutdated">> & {
    readonly location?: z.output<typeof CommentShape>["location"];
  };

/** Whether it is deleted or edited, and where its lines are now. */
const stateOf = ({ editedAt, deletedAt, now, isOutdated }: ShownComment): readonly string[] => [
  ...(deletedAt ? ["deleted"] : editedAt ? ["edited"] : []),
  ...(isOutdated ? ["outdated"] : now ? [`now ${now.path}, ${describeLines(now)}`] : []),
];

/** Prints comments of an issue or an approval: author, time and text, with the lines that they are about. */
export const commentList = (rows: readonly ShownComment[], paper: Paper): string =>
  rows
    .map((row) => {
      const { authorAgentId, authorUserId, createdAt, deletedAt, body, location = null } = row;
      const author = authorAgentId ?? authorUserId;
      const who = author === null ? "the service" : someone(author, paper);
      const head = [ago(createdAt, paper.now()), ...stateOf(row)]
        .map((part) => `· ${oneLine(part)}`)
        .join(" ");
      return `${paper.colors.bold(oneLine(who))} ${paper.colors.dim(head)}${deletedAt ? "" : `\n${indented(withLocation(body, location))}`}`;
    })
    .join("\n");
