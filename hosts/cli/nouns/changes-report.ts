import type { z } from "zod";
import type { IssueChangesShape, RunChangesShape } from "../../api/issues/change-shapes.ts";
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
  const { url, branch, defaultBranch, conflicts, problem, lastMerge, uncommitted } = changes;
  const lines = [`${bold(branch)} into ${defaultBranch} of ${url}`];
  if (lastMerge !== null) {
    const { commits, commit } = lastMerge;
    const count = commits === null ? "" : ` ${commits} ${commits === 1 ? "commit" : "commits"}`;
    lines.push(green(`merged${count} into ${defaultBranch} as ${commit.slice(0, 10)}`));
  }
  if (uncommitted.length > 0) lines.push(yellow(`not committed: ${uncommitted.map(oneLine).join(", ")}`));
  if (problem !== null) lines.push(yellow(problem));
  if (conflicts !== null)
    lines.push(
      red(
        `conflicts with ${defaultBranch}: ${conflicts.files.map(oneLine).join(", ") || conflicts.messages}`,
      ),
    );
  return `${[...lines, ...rowsOf(changes, { dim, green, red })].join("\n")}\n`;
};

/** Prints what a run changed in each repository. */
export const runChangesReport = (
  all: readonly z.output<typeof RunChangesShape>[],
  { colors }: Pick<Paper, "colors">,
): string =>
  all
    .map((changes) => {
      const { url, isCommitted, problem } = changes;
      const lines = [
        `${colors.bold("in")} ${url}`,
        ...(problem === null ? [] : [colors.yellow(problem)]),
        ...(isCommitted ? [] : [colors.yellow("not all of it is committed")]),
      ];
      return `${[...lines, ...rowsOf(changes, colors)].join("\n")}\n`;
    })
    .join("\n");

/** Commits and files, a line each. */
const rowsOf = (
  { commits, files, isCut }: Pick<z.output<typeof RunChangesShape>, "commits" | "files" | "isCut">,
  { dim, green, red }: Pick<Paper["colors"], "dim" | "green" | "red">,
): readonly string[] => {
  const lines: string[] = [];
  for (const { commit, message, author } of commits)
    lines.push(
      `  ${dim(commit.slice(0, 10))} ${oneLine(message.split("\n", 1)[0] ?? "")} ${dim(oneLine(author))}`,
    );
  for (const { status, path, oldPath, added, removed } of files)
    lines.push(
      `  ${status.padEnd(12)} ${oldPath === null ? "" : `${oneLine(oldPath)} → `}${oneLine(path)} ${
        added === null ? dim(isCut ? "" : "binary") : `${green(`+${added}`)} ${red(`-${removed}`)}`
      }`,
    );
  if (isCut) lines.push(dim("  and more"));
  return lines;
};
