import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import type { ProgramView } from "../../ports/sandbox.ts";
import { findCommand } from "./find-command.ts";

/** A command as configured, and where it is searched. */
export interface SearchedCommand {
  readonly command: string;
  readonly path: string | undefined;
  readonly cwd: string;
}

/**
 * Says why a run cannot start a command because of its sandbox: the link that stands for it leads to a hidden place, or
 * the interpreter that its first line names is hidden. null where neither is. A command that is a path is judged with
 * the view.
 */
export const hiddenCommand = (view: ProgramView, { command, path, cwd }: SearchedCommand): string | null => {
  const found = findCommand(command, path, cwd, view.locate);
  if (found !== null) {
    const interpreter = interpreterOf(view, found);
    const why = interpreter === null ? null : view.whyHidden(interpreter);
    return why === null ? null : `The first line of ${found} names ${interpreter} as its interpreter. ${why}`;
  }
  if (command.includes("/")) return null;
  for (const folder of (path ?? "").split(":").filter((each) => each !== "")) {
    const named = resolve(cwd, folder, command);
    // Of a visible folder only what a link leads to is hidden.
    if (view.locate(resolve(cwd, folder)) !== null && view.locate(named) === null)
      return `The command "${command}" was not found. ${view.whyHidden(named)}`;
  }
  return null;
};

const longestLine = 256;

/**
 * Reads the interpreter of a script, unless runs can write it: the service opens no file of an agent. Whatever is put in
 * its place meanwhile, nothing hidden is read.
 */
const interpreterOf = (view: ProgramView, command: string): string | null => {
  const at = view.locate(command);
  if (at === null || view.isWritable(at)) return null;
  let descriptor: number;
  try {
    descriptor = openSync(at, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    return null;
  }
  try {
    if (!fstatSync(descriptor).isFile() || readlinkSync(`/proc/self/fd/${descriptor}`) !== at) return null;
    const line = Buffer.alloc(longestLine);
    const length = readSync(descriptor, line, 0, longestLine, 0);
    const [, interpreter = ""] = /^#![ \t]*([^\s\0]+)/.exec(line.toString("utf8", 0, length)) ?? [];
    return isAbsolute(interpreter) ? interpreter : null;
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
};

/** Says which absolute paths among the arguments, also as `--name=/path`, the run does not see. */
export const hiddenArguments = (view: ProgramView, args: readonly string[]): readonly string[] =>
  whyEach(
    view,
    args.flatMap((arg) => /^(?:--?[\w-]+=)?(\/+[^/\s]+\/\S.*)$/s.exec(arg)?.[1] ?? []),
  );

/** As programs say that they have not found a file. */
const missesFile = /no such file|not found|ENOENT|cannot find|can(?:no|')t open|does not exist/i;

/** Says which of the paths that a failed program has missed, by its own words, its run does not see. */
export const missedIn = (view: ProgramView, outcome: ProcessOutcome): readonly string[] =>
  outcome.exitCode === 0 || outcome.stopped || outcome.timedOut
    ? []
    : whyEach(
        view,
        outcome.stderrTail
          .split("\n")
          .filter((line) => missesFile.test(line))
          .flatMap((line) => [...line.matchAll(/(?<![^\s'"`(:=])\/[^\s'"`():]+/g)])
          .map(([path]) => path.replace(/(?<![.,;])[.,;]+$/, "")),
      );

/** Sentences for people to read. */
const most = 3;

const whyEach = (view: ProgramView, paths: readonly string[]): readonly string[] =>
  [...new Set(paths)].flatMap((path) => view.whyHidden(path) ?? []).slice(0, most);
