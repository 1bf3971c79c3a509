import { constants } from "node:fs";
import { access, readdir, readFile, stat } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import type { TestEnvironmentContext } from "../../ports/agent-adapter.ts";
import { describeEnd } from "./outcome.ts";

/** Questions about the place where an agent's programs run. Paths are absolute. */
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
}

type Context = Pick<TestEnvironmentContext, "remote" | "cwd" | "env" | "runProcess">;

/** Looks where the agent's programs run: on this machine at its disk, elsewhere by one program. */
export const inspect = (context: Context, wanted: Wanted): Promise<Seen> =>
  context.remote === true ? byProgram(context, wanted) : onThisMachine(context, wanted);

const onThisMachine = async ({ cwd, env }: Context, wanted: Wanted): Promise<Seen> => {
  const { command, texts = [], present = [], skills = [] } = wanted;
  const folder = await stat(cwd).catch(() => null);
  const read = await Promise.all(texts.map((path) => readFile(path, "utf8").catch(() => null)));
  const there = await Promise.all(present.map((path) => isThere(path, constants.F_OK)));
  const found = await Promise.all(skills.map(skillsIn));
  return {
    problem: null,
    cwd: folder === null ? "missing" : folder.isDirectory() ? "directory" : "other",
    command: command === undefined ? null : await resolveCommand(command, env, cwd),
    texts: new Map(texts.flatMap((path, at) => (read[at] == null ? [] : [[path, read[at]]]))),
    present: new Set(present.filter((_, at) => there[at])),
    skills: new Map(skills.map((path, at) => [path, found[at] ?? []])),
  };
};

const isThere = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/** Finds the program of a command as the system does; null if it does not exist. */
const resolveCommand = async (
  command: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string | null> => {
  const candidates = command.includes("/")
    ? [resolve(cwd, command)]
    : (env.PATH ?? "").split(delimiter).map((folder) => resolve(cwd, join(folder, command)));
  for (const candidate of candidates)
    if ((await isFile(candidate)) && (await isThere(candidate, constants.X_OK))) return candidate;
  return null;
};

const skillsIn = async (folder: string): Promise<readonly string[]> => {
  const names = (await readdir(folder).catch((): string[] => [])).sort();
  const isSkill = await Promise.all(names.map((name) => isFile(join(folder, name, "SKILL.md"))));
  return names.filter((_, at) => isSkill[at]);
};

/** Takes pairs of a question and its subject; prints a line for each finding, and the lines of texts after a `|`. */
const script = `
at=0
while [ $# -gt 1 ]; do
  case $1 in
  command)
    case $2 in
    */*) if [ -f "$2" ] && [ -x "$2" ]; then printf 'command %s\\n' "$2"; fi ;;
    *)
      IFS=:
      for folder in $PATH; do
        file=\${folder:-.}/$2
        if [ -f "$file" ] && [ -x "$file" ]; then printf 'command %s\\n' "$file"; break; fi
      done
      unset IFS ;;
    esac ;;
  text)
    if [ -r "$2" ] && [ -f "$2" ]; then
      printf 'text %s\\n' "$at"
      head -c 262144 "$2" | sed 's/^/|/'
      printf '\\n'
    fi ;;
  present) if [ -e "$2" ]; then printf 'present %s\\n' "$at"; fi ;;
  skills)
    for folder in "$2"/*; do
      if [ -f "$folder/SKILL.md" ]; then printf 'skill %s %s\\n' "$at" "\${folder##*/}"; fi
    done ;;
  esac
  shift 2
  at=$((at + 1))
done
exit 0
`;

const byProgram = async ({ runProcess }: Context, wanted: Wanted): Promise<Seen> => {
  const questions = [
    ...(wanted.command === undefined ? [] : [["command", wanted.command] as const]),
    ...(wanted.texts ?? []).map((path) => ["text", path] as const),
    ...(wanted.present ?? []).map((path) => ["present", path] as const),
    ...(wanted.skills ?? []).map((path) => ["skills", path] as const),
  ];
  const lines: string[] = [];
  const outcome = await runProcess({
    command: "sh",
    args: ["-c", script, "inspect", ...questions.flat()],
    timeoutSec: 30,
    graceSec: 1,
    onStdoutLine: (line) => void lines.push(line),
  });
  const problem =
    outcome.startError ?? (outcome.exitCode === 0 ? null : `sh ended with ${describeEnd(outcome)}`);
  const subject = (at: string | undefined) => questions[Number(at)]?.[1] ?? "";
  const texts = new Map<string, string[]>();
  const skills = new Map<string, string[]>((wanted.skills ?? []).map((path) => [path, []]));
  const present = new Set<string>();
  let command: string | null = null;
  let text: string[] = [];
  for (const line of lines) {
    const [kind, at] = line.split(" ", 2);
    if (line.startsWith("|")) text.push(line.slice(1));
    else if (kind === "text") {
      text = [];
      texts.set(subject(at), text);
    } else if (kind === "command") command = line.slice("command ".length);
    else if (kind === "present") present.add(subject(at));
    else if (kind === "skill") skills.get(subject(at))?.push(line.split(" ").slice(2).join(" "));
  }
  return {
    problem,
    // A pod or container makes it.
    cwd: problem === null ? "directory" : "missing",
    command,
    texts: new Map([...texts].map(([path, parts]) => [path, parts.join("\n")])),
    present,
    skills,
  };
};
