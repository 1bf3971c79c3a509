import type { z } from "zod";
import type { IssueChangesShape } from "../../api/issues/change-shapes.ts";
import type { Paper } from "../print/cells.ts";
import { harmless } from "../terminal.ts";

/** Prints what an issue changes in each repository: its state, its commits and its files. */
export const changesReport = (
  all: readonly z.output<typeof IssueChangesShape>[],
  { colors }: Pick<Paper, "colors">,
): string => all.map((each) => inRepository(each, colors)).join("\n");

const oneLine = (text: string): string => harmless(text).replaceAll("\n", " ");

const inRepository = (
  changes: z.output<typeof IssueChangesShape>,
  { bold, dim, green, red, yellow }: Paper["colors"],
): string => {
  const { url, branch, defaultBranch, commits, files, isCut, conflicts, problem, mergeCommit } = changes;
  const lines = [`${bold(branch)} into ${defaultBranch} of ${url}`];
  if (mergeCommit !== null) lines.push(green(`merged as ${mergeCommit.slice(0, 10)}`));
  if (problem !== null) lines.push(yellow(problem));
  if (conflicts !== null)
    lines.push(
      red(
        `conflicts with ${defaultBranch}: ${conflicts.files.map(oneLine).join(", ") || conflicts.messages}`,
      ),
    );
  for (const { commit, message, author } of commits)
    lines.push(
      `  ${dim(commit.slice(0, 10))} ${oneLine(message.split("\n", 1)[0] ?? "")} ${dim(oneLine(author))}`,
    );
  for (const { status, path, oldPath, added, removed } of files)
    lines.push(
      `  ${status.padEnd(12)} ${oldPath === null ? "" : `${oneLine(oldPath)} → `}${oneLine(path)} ${
        added === null ? dim("binary") : `${green(`+${added}`)} ${red(`-${removed}`)}`
      }`,
    );
  if (isCut) lines.push(dim("  and more"));
  return `${lines.join("\n")}\n`;
};
