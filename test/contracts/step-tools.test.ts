import { expect, test } from "vitest";
import { captureScript } from "../../adapters-infra/local/capture-script.ts";
import { continueClone } from "../../adapters-infra/local/continue-clone.ts";
import { checkClone, makeClone } from "../../adapters-infra/local/make-clone.ts";
import { readGitDir } from "../../adapters-infra/local/read-git-dir.ts";
import { stepTools } from "../../adapters-infra/runner-helper/check-engine.ts";

/** Programs that an image may lack, by POSIX and GNU coreutils: builtins of the shell are no programs. */
const programs = [
  ...[
    "awk",
    "basename",
    "cat",
    "chmod",
    "chown",
    "cksum",
    "cmp",
    "comm",
    "cp",
    "csplit",
    "cut",
    "date",
    "dd",
  ],
  ...["df", "diff", "dirname", "du", "env", "expr", "find", "fold", "grep", "gzip", "head", "install"],
  ...["join", "ln", "ls", "md5sum", "mkdir", "mkfifo", "mktemp", "mv", "nl", "nproc", "od", "paste", "patch"],
  ...["perl", "ps", "python3", "readlink", "realpath", "rm", "rmdir", "sed", "seq", "sha1sum", "sha256sum"],
  ...["shuf", "sleep", "sort", "split", "stat", "tac", "tail", "tar", "tee", "timeout", "touch", "tr"],
  ...["truncate", "tsort", "uniq", "wc", "which", "xargs"],
];

/** Where a command begins: a line, a list, a pipe, a group, a substitution, a keyword, or after an assignment or a wrapper. */
const begins = String.raw`(?:^|[|;&({!]|\$\(|\b(?:then|do|else|timeout(?: -k \d+)? \d+)\s|\w+=\S*\s)\s*`;
const usedIn = (script: string): readonly string[] =>
  programs.filter((program) => new RegExp(`${begins}${program}(?=[\\s;|)]|$)`, "m").test(script));

test("The check of a runner names each program that steps in workspaces of issues use", () => {
  const scripts = { captureScript, continueClone, checkClone, makeClone, readGitDir };
  const used = Object.fromEntries(Object.entries(scripts).map(([name, text]) => [name, usedIn(text)]));
  expect(used.captureScript).toContain("awk");
  expect(used.readGitDir).toEqual(expect.arrayContaining(["head", "readlink", "ln"]));
  expect([...new Set(Object.values(used).flat())].filter((program) => !stepTools.includes(program))).toEqual(
    [],
  );
});
