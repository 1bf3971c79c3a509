import type { z } from "zod";
import type { CommentShape } from "../../api/issues/issue-shapes.ts";
import { type Paper, someone } from "../print/cells.ts";
import { indented } from "../print/sections.ts";
import { oneLine } from "../print/table.ts";
import { ago } from "../print/words.ts";

/** Prints comments of an issue or an approval: author, time and text. */
export const commentList = (
  rows: readonly (Pick<
    z.output<typeof CommentShape>,
    "authorAgentId" | "authorUserId" | "createdAt" | "body"
  > &
    Partial<Pick<z.output<typeof CommentShape>, "editedAt" | "deletedAt">>)[],
  paper: Paper,
): string =>
  rows
    .map(({ authorAgentId, authorUserId, createdAt, editedAt, deletedAt, body }) => {
      const author = authorAgentId ?? authorUserId;
      const who = author === null ? "the service" : someone(author, paper);
      return `${paper.colors.bold(oneLine(who))} ${paper.colors.dim(`· ${ago(createdAt, paper.now())}${deletedAt ? " · deleted" : editedAt ? " · edited" : ""}`)}${deletedAt ? "" : `\n${indented(body)}`}`;
    })
    .join("\n");
