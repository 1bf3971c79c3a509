import type { ProcessOutcome, TestEnvironmentContext } from "../../ports/agent-adapter.ts";
import { findCommand } from "./find-command.ts";
import { describeEnd } from "./outcome.ts";

/** Questions about the machine on which an agent's programs run. Paths are absolute. */
export interface Wanted {
  readonly command?: string;
  /** Small files to read. */
  readonly texts?: readonly string[];
  /** Files whose presence alone matters. */
  readonly present?: readonly string[];
  /** Folders of skills. */
  readonly skills?: readonly string[];
}

export interface Seen {
  /** A sentence: why no program can start there; null where one can. */
  readonly problem: string | null;
  readonly cwd: "directory" | "other" | "missing";
  /** The program of the command as the system finds it; null if none exists. */
  readonly command: string | null;
  /** By path; a file that cannot be read is left out. */
  readonly texts: ReadonlyMap<string, string>;
  readonly present: ReadonlySet<string>;
  /** The names of the skills in each folder. */
  readonly skills: ReadonlyMap<string, readonly string[]>;
  /** Sentences about what is there and was left out. */
  readonly leftOut: readonly string[];
}

type Context = Pick<TestEnvironmentContext, "remote" | "cwd" | "env" | "runProcess">;

const limitSec = 20;
const maxTextBytes = 256 * 1024;
/** Entries of a folder of skills that are read. */
const maxEntries = 1_000;

/**
 * Takes pairs of a question and its subject. Each line of its output is a finding, or, after a `|`, a line of a text:
 * what is in a file cannot pass for a finding, and what has a newline in its name is no finding.
 */
const script = `
newline='
'
search=$PATH
# A program of the agent's must not stand in for one of the system's.
PATH=/usr/local/bin:/usr/bin:/bin:$PATH
LC_ALL=C
export LC_ALL
found() {
  case $2 in
  *"$newline"*) printf 'unnamed %s\n' "$at" ;;
  *) printf '%s %s %s\n' "$1" "$at" "$2" ;;
  esac
}
at=0
while [ $# -gt 1 ]; do
  case $1 in
  command)
    case $2 in
    */*) if [ -f "$2" ] && [ -x "$2" ]; then found command "$2"; fi ;;
    *)
      set -f
      IFS=:
      for folder in $search; do
        file=\${folder:-.}/$2
        if [ -f "$file" ] && [ -x "$file" ]; then found command "$file"; break; fi
      done
      unset IFS
      set +f ;;
    esac ;;
  text)
    if [ -e "$2" ]; then
      if [ ! -f "$2" ]; then printf 'unfit %s\n' "$at"
      elif [ ! -r "$2" ]; then printf 'closed %s\n' "$at"
      else
        printf 'text %s\n' "$at"
        head -c ${maxTextBytes + 1} "$2" | sed 's/^/|/'
        printf '\n'
      fi
    fi ;;
  present) if [ -e "$2" ]; then printf 'present %s\n' "$at"; fi ;;
  skills)
    count=0
    for folder in "$2"/*; do
      count=$((count + 1))
      if [ "$count" -gt ${maxEntries} ]; then printf 'more %s\n' "$at"; break; fi
      if [ -f "$folder/SKILL.md" ]; then found skill "\${folder##*/}"; fi
    done ;;
  esac
  shift 2
  at=$((at + 1))
done
exit 0
`;

/**
 * Looks where the agent's programs run, by one of them: it is the agents' user in their view, with a time limit. The
 * service itself opens nothing that an agent can write, such as a pipe in place of a file.
 */
export const inspect = async (context: Context, wanted: Wanted): Promise<Seen> => {
  if (context.remote === true) return probe(context, wanted);
  const { command: named, ...others } = wanted;
  const seen = await probe(context, others);
  const command = named === undefined ? null : await findCommand(named, context.env, context.cwd);
  const cwd = unusableCwd(seen.problem);
  // The other findings do not need the working directory.
  return cwd === null ? { ...seen, command } : { ...(await probe(context, others, "/")), cwd, command };
};

/** As runners say that the working directory is missing, or is none. */
const unusableCwd = (problem: string | null): "missing" | "other" | null => {
  const [, how] = /^The working directory .* (does not exist|is not a directory)\./.exec(problem ?? "") ?? [];
  return how === undefined ? null : how === "does not exist" ? "missing" : "other";
};

const probe = async ({ runProcess }: Context, wanted: Wanted, cwd?: string): Promise<Seen> => {
  const questions = [
    ...(wanted.command === undefined ? [] : [["command", wanted.command] as const]),
    ...(wanted.texts ?? []).map((path) => ["text", path] as const),
    ...(wanted.present ?? []).map((path) => ["present", path] as const),
    ...(wanted.skills ?? []).map((path) => ["skills", path] as const),
  ];
  const subject = (at: string | undefined) => questions[Number(at)]?.[1] ?? "";
  const texts = new Map<string, string[]>();
  const skills = new Map<string, string[]>((wanted.skills ?? []).map((path) => [path, []]));
  const present = new Set<string>();
  const leftOut = new Set<string>();
  let command: string | null = null;
  let text: string[] = [];
  const outcome = await runProcess({
    command: "/bin/sh",
    args: ["-c", script, "inspect", ...questions.flat()],
    ...(cwd === undefined ? {} : { cwd }),
    timeoutSec: limitSec,
    graceSec: 1,
    onStdoutLine: (line) => {
      const [kind, at] = line.split(" ", 2);
      const of = subject(at);
      if (line.startsWith("|")) text.push(line.slice(1));
      else if (kind === "text") {
        text = [];
        texts.set(of, text);
      } else if (kind === "command") command = afterSecondSpace(line);
      else if (kind === "present") present.add(of);
      else if (kind === "skill") skills.get(of)?.push(afterSecondSpace(line));
      else if (kind === "unfit") leftOut.add(`${of} is no file, and is not read.`);
      else if (kind === "closed") leftOut.add(`${of} may not be read by the agents' user.`);
      else if (kind === "unnamed") leftOut.add(`A name with a line break in ${of} is left out.`);
      else if (kind === "more")
        leftOut.add(`${of} has more than ${maxEntries} entries: the others are not listed.`);
      return undefined;
    },
  });
  const problem = problemOf(outcome);
  const whole = [...texts].map(([path, lines]) => [path, lines.join("\n")] as const);
  const fit = whole.filter(([, read]) => Buffer.byteLength(read) <= maxTextBytes);
  for (const [path] of whole.filter((one) => !fit.includes(one)))
    leftOut.add(`${path} is longer than ${maxTextBytes / 1024} KiB, and is not read.`);
  return {
    problem,
    // A pod or container makes it.
    cwd: problem === null ? "directory" : "missing",
    command,
    texts: new Map(fit),
    present,
    skills,
    leftOut: [...leftOut],
  };
};

const problemOf = (outcome: ProcessOutcome): string | null => {
  if (outcome.startError !== undefined) return outcome.startError;
  if (outcome.timedOut) return `looking there took longer than ${limitSec} seconds.`;
  return outcome.exitCode === 0 ? null : describeEnd(outcome, "sh");
};

const afterSecondSpace = (line: string): string => line.split(" ").slice(2).join(" ");
