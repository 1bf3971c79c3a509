import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { git, gitEnv } from "./git-host.ts";

/** The result of looking into a hostile repository in the usual way: its payload runs, or foreign or false text is shown. */
type Naive = "runs" | "leaks" | "forges" | "nothing";

export interface GitAttack {
  readonly name: string;
  readonly naive: Naive;
  /** Makes the repository hostile; `payload` is a program. */
  readonly make: (dir: string, payload: string, lab: string) => void;
}

export const foreign = "FOREIGN-SECRET";
export const forged = "REPLACED-TEXT";

const file = (dir: string, path: string, text: string) => {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
};
const set = (dir: string, ...pairs: readonly string[]) => {
  for (let n = 0; n < pairs.length; n += 2) git(dir, ["config", pairs[n]!, pairs[n + 1]!]);
};
const attributes = (dir: string, text: string) => {
  file(dir, ".gitattributes", text);
  git(dir, ["add", ".gitattributes"]);
  git(dir, ["commit", "-qm", "attributes", "--", ".gitattributes"]);
};
const hooksIn = (folder: string, payload: string) => {
  for (const name of [
    "pre-commit",
    "commit-msg",
    "post-checkout",
    "post-index-change",
    "reference-transaction",
  ]) {
    file(folder, name, `#!/bin/sh\n${payload}\n`);
    chmodSync(join(folder, name), 0o755);
  }
};
/** A repository of somebody else, with a secret. */
const others = (lab: string): string => {
  const other = join(lab, "other");
  if (existsSync(other)) return other;
  mkdirSync(other);
  git(other, ["init", "-q", "."]);
  file(other, "secret.txt", `${foreign}\n`);
  git(other, ["add", "-A"]);
  git(other, ["commit", "-qm", "secret"]);
  return other;
};
const submodule = (dir: string, lab: string) => {
  const sub = others(lab);
  file(dir, ".gitmodules", `[submodule "sub"]\n\tpath = sub\n\turl = ${sub}\n`);
  git(dir, ["update-index", "--add", "--cacheinfo", `160000,${git(sub, ["rev-parse", "HEAD"])},sub`]);
  git(dir, ["add", ".gitmodules"]);
  git(dir, ["commit", "-qm", "sub", "--", ".gitmodules", "sub"]);
};
/** A commit with that tree on HEAD, as the head of main. */
const commitRaw = (dir: string, tree: string, rest = "") => {
  const raw = `tree ${tree}\nparent ${git(dir, ["rev-parse", "HEAD"])}\nauthor a <a@x> 1 +0000\ncommitter a <a@x> 1 +0000\n${rest}\nraw\n`;
  const id = git(dir, ["hash-object", "-t", "commit", "-w", "--stdin"], { input: raw });
  git(dir, ["update-ref", "refs/heads/main", id]);
};

/** A clone that fetches on demand, from a remote that `make` sets, a branch or the branch that is checked out. */
const promised =
  (make: GitAttack["make"], ref = "refs/heads/missing"): GitAttack["make"] =>
  (dir, payload, lab) => {
    const missing = "7".repeat(40);
    set(
      dir,
      "extensions.partialClone",
      "o",
      "remote.o.promisor",
      "true",
      "core.repositoryFormatVersion",
      "1",
    );
    make(dir, payload, lab);
    if (ref === "HEAD") file(dir, ".git/HEAD", `${missing}\n`);
    else file(dir, `.git/${ref}`, `${missing}\n`);
  };

export const gitAttacks: readonly GitAttack[] = [
  { name: "fsmonitor", naive: "runs", make: (d, p) => set(d, "core.fsmonitor", p) },
  { name: "hooks in .git", naive: "runs", make: (d, p) => hooksIn(join(d, ".git/hooks"), p) },
  {
    name: "hooksPath",
    naive: "runs",
    make: (d, p) => {
      hooksIn(join(d, "h"), p);
      set(d, "core.hooksPath", join(d, "h"));
    },
  },
  {
    name: "filter clean/smudge",
    naive: "runs",
    make: (d, p) => {
      attributes(d, "* filter=x\n");
      set(d, "filter.x.clean", `${p}; cat`, "filter.x.smudge", `${p}; cat`);
    },
  },
  {
    name: "filter process",
    naive: "runs",
    make: (d, p) => {
      attributes(d, "* filter=x\n");
      set(d, "filter.x.process", p);
    },
  },
  {
    name: "textconv",
    naive: "runs",
    make: (d, p) => {
      attributes(d, "* diff=x\n");
      set(d, "diff.x.textconv", p);
    },
  },
  {
    name: "diff driver command",
    naive: "runs",
    make: (d, p) => {
      attributes(d, "* diff=x\n");
      set(d, "diff.x.command", p);
    },
  },
  { name: "diff.external", naive: "runs", make: (d, p) => set(d, "diff.external", p) },
  {
    name: "merge driver",
    naive: "runs",
    make: (d, p) => {
      attributes(d, "* merge=x\n");
      set(d, "merge.x.driver", `${p}; true`);
    },
  },
  {
    name: "merge driver by info/attributes",
    naive: "runs",
    make: (d, p) => {
      file(d, ".git/info/attributes", "* merge=x\n");
      set(d, "merge.x.driver", `${p}; true`);
    },
  },
  {
    name: "include.path",
    naive: "runs",
    make: (d, p) => {
      file(d, "cfg", `[core]\n\tfsmonitor = ${p}\n[filter "y"]\n\tclean = ${p}; cat\n`);
      file(d, ".git/info/attributes", "* filter=y\n");
      set(d, "include.path", join(d, "cfg"));
    },
  },
  {
    name: "alias",
    naive: "nothing",
    make: (d, p) => set(d, "alias.status", `!${p}`, "alias.add", `!${p}`),
  },
  {
    name: "gpg.program",
    naive: "runs",
    make: (d, p) => {
      const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n";
      commitRaw(d, git(d, ["rev-parse", "HEAD^{tree}"]), signature);
      set(d, "gpg.program", p, "log.showSignature", "true", "commit.gpgSign", "true", "user.signingKey", "x");
    },
  },
  {
    name: "gpg.program with a signed stash",
    naive: "runs",
    make: (d, p) => {
      file(d, "a.txt", "stashed\n");
      git(d, ["stash", "-q", "--", "a.txt"]);
      const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n";
      const [headers = "", ...rest] = git(d, ["cat-file", "commit", "stash@{0}"]).split("\n\n");
      const id = git(d, ["hash-object", "-t", "commit", "-w", "--stdin"], {
        input: `${headers}\n${signature}\n${rest.join("\n\n")}\n`,
      });
      git(d, ["stash", "store", "-m", "signed", id]);
      set(d, "gpg.program", p, "log.showSignature", "true");
    },
  },
  ...(
    [
      ["uploadpack", (d, p, lab) => set(d, "remote.o.url", lab, "remote.o.uploadpack", p)],
      ["core.sshCommand", (d, p) => set(d, "remote.o.url", "ssh://127.0.0.1/x", "core.sshCommand", p)],
      ["ext::", (d, p) => set(d, "remote.o.url", `ext::${p}`, "protocol.ext.allow", "always")],
      [
        "credential.helper",
        (d, p) => set(d, "remote.o.url", `${askingHost()}/x.git`, "credential.helper", `!${p}`),
      ],
    ] as const satisfies readonly (readonly [string, GitAttack["make"]])[]
  ).flatMap(([by, make]): readonly GitAttack[] => [
    { name: `a missing object of a promisor by ${by}`, naive: "runs", make: promised(make) },
    { name: `a missing HEAD of a promisor by ${by}`, naive: "runs", make: promised(make, "HEAD") },
  ]),
  {
    name: "core.sshCommand",
    naive: "runs",
    make: (d, p) => set(d, "core.sshCommand", p, "remote.origin.url", "ssh://127.0.0.1/x"),
  },
  {
    name: "core.gitProxy",
    naive: "runs",
    make: (d, p) => set(d, "core.gitProxy", p, "remote.origin.url", "git://127.0.0.1/x"),
  },
  {
    name: "ext:: remote",
    naive: "runs",
    make: (d, p) => set(d, "remote.origin.url", `ext::${p}`, "protocol.ext.allow", "always"),
  },
  {
    name: "remote.uploadpack",
    naive: "runs",
    make: (d, p, lab) => set(d, "remote.origin.url", lab, "remote.origin.uploadpack", p),
  },
  {
    name: "insteadOf to ext",
    naive: "runs",
    make: (d, p) =>
      set(
        d,
        ...["remote.origin.url", "https://example.invalid/x"],
        ...[`url.ext::${p} .insteadOf`, "https://example.invalid/", "protocol.ext.allow", "always"],
      ),
  },
  {
    name: "credential.helper",
    naive: "runs",
    make: (d, p) =>
      set(d, "remote.origin.url", `${askingHost()}/x.git`, "credential.helper", `!${p}`, "core.askPass", p),
  },
  { name: "packObjectsHook", naive: "nothing", make: (d, p) => set(d, "uploadpack.packObjectsHook", p) },
  {
    name: "trailer.command",
    naive: "runs",
    make: (d, p) =>
      set(
        d,
        ...["trailer.x.command", p, "trailer.x.key", "X"],
        ...["trailer.x.ifexists", "replace", "trailer.x.cmd", p],
      ),
  },
  {
    name: "submodule update=!",
    naive: "nothing",
    make: (d, p, lab) => {
      submodule(d, lab);
      set(d, "submodule.sub.update", `!${p}`, "submodule.sub.url", others(lab));
      set(d, "submodule.sub.active", "true", "protocol.file.allow", "always");
    },
  },
  {
    name: "submodule with fsmonitor",
    naive: "runs",
    make: (d, p, lab) => {
      submodule(d, lab);
      git(d, ["-c", "protocol.file.allow=always", "clone", "-q", others(lab), "sub"]);
      writeFileSync(join(d, "sub", "secret.txt"), "no secret\n");
      set(join(d, "sub"), "core.fsmonitor", p);
    },
  },
  {
    name: "submodule with a filter",
    naive: "runs",
    make: (d, p, lab) => {
      submodule(d, lab);
      git(d, ["-c", "protocol.file.allow=always", "clone", "-q", others(lab), "sub"]);
      // Of the same size, so that git compares the content.
      writeFileSync(join(d, "sub", "secret.txt"), "NO-TEXT-OF-ANY\n");
      file(d, "sub/.git/info/attributes", "* filter=x\n");
      set(join(d, "sub"), "filter.x.clean", `${p}; cat`);
    },
  },
  {
    name: "submodule of a promisor",
    naive: "runs",
    make: (d, p, lab) => {
      submodule(d, lab);
      git(d, ["-c", "protocol.file.allow=always", "clone", "-q", others(lab), "sub"]);
      writeFileSync(join(d, "sub", "secret.txt"), "no secret\n");
      promised((dir) => set(dir, "remote.o.url", lab, "remote.o.uploadpack", p), "HEAD")(
        join(d, "sub"),
        p,
        lab,
      );
    },
  },
  {
    name: "submodule url ext",
    naive: "nothing",
    make: (d, p) => {
      file(d, ".gitmodules", `[submodule "s"]\n\tpath = s\n\turl = ext::${p}\n`);
      git(d, ["update-index", "--add", "--cacheinfo", `160000,${git(d, ["rev-parse", "HEAD"])},s`]);
      git(d, ["add", ".gitmodules"]);
      git(d, ["commit", "-qm", "sub"]);
      set(d, "submodule.s.url", `ext::${p}`, "protocol.ext.allow", "always");
    },
  },
  {
    name: "bare repository in the tree",
    naive: "runs",
    make: (d, p) => {
      git(d, ["init", "-q", "--bare", "inner"]);
      set(join(d, "inner"), "core.fsmonitor", p, "core.bare", "false", "core.worktree", d);
    },
  },
  {
    name: "core.worktree elsewhere",
    naive: "leaks",
    make: (d, _, lab) => set(d, "core.worktree", others(lab)),
  },
  {
    name: ".git file elsewhere",
    naive: "leaks",
    make: (d, _, lab) => {
      rmSync(join(d, ".git"), { recursive: true });
      writeFileSync(join(d, ".git"), `gitdir: ${others(lab)}/.git\n`);
    },
  },
  {
    name: "alternates elsewhere",
    naive: "leaks",
    make: (d, _, lab) => {
      const other = others(lab);
      file(d, ".git/objects/info/alternates", `${other}/.git/objects\n`);
      const blob = git(other, ["rev-parse", "HEAD:secret.txt"]);
      commitRaw(d, git(d, ["mktree", "--missing"], { input: `100644 blob ${blob}\tstolen.txt\n` }));
    },
  },
  {
    name: "symlink .git/objects elsewhere",
    naive: "leaks",
    make: (d, _, lab) => {
      const other = others(lab);
      execFileSync("cp", ["-rn", `${d}/.git/objects/.`, `${other}/.git/objects/`]);
      rmSync(join(d, ".git/objects"), { recursive: true });
      symlinkSync(join(other, ".git/objects"), join(d, ".git/objects"));
      git(d, ["update-ref", "refs/heads/main", git(other, ["rev-parse", "HEAD"])]);
    },
  },
  {
    name: "tracked symlink to a secret",
    naive: "nothing",
    make: (d, _, lab) => {
      symlinkSync(join(others(lab), "secret.txt"), join(d, "link.txt"));
      symlinkSync(others(lab), join(d, "linkdir"));
    },
  },
  {
    name: "replace refs",
    naive: "forges",
    make: (d) => {
      const fake = git(d, ["hash-object", "-w", "--stdin"], { input: `${forged}\n` });
      git(d, ["replace", git(d, ["rev-parse", "HEAD:a.txt"]), fake]);
    },
  },
  {
    name: "grafts",
    naive: "nothing",
    make: (d) => file(d, ".git/info/grafts", `${git(d, ["rev-parse", "HEAD"])}\n`),
  },
];

/** A repository with commits on two branches, a changed and a new file. */
export const plainRepository = (dir: string): void => {
  mkdirSync(dir, { recursive: true });
  git(dir, ["init", "-q", "."]);
  file(dir, "a.txt", "one\n");
  file(dir, "b.txt", "one\n");
  git(dir, ["add", "-A"]);
  git(dir, ["commit", "-qm", "one"]);
  git(dir, ["branch", "other"]);
  file(dir, "a.txt", "two\n");
  git(dir, ["commit", "-qam", "two"]);
  git(dir, ["checkout", "-q", "other"]);
  file(dir, "a.txt", "three\n");
  git(dir, ["commit", "-qam", "three"]);
  git(dir, ["checkout", "-q", "main"]);
  file(dir, "b.txt", "dirty\n");
  file(dir, "new.txt", "untracked\n");
};

/** The calls of a service that looks into a tree of an agent in the usual way; returns all that they print. */
export const inspectAsUsual = (dir: string): string =>
  [
    ["status", "--porcelain"],
    ["diff"],
    ["diff", "main", "other"],
    ["log", "-p", "-n", "5"],
    ["log", "-n", "1", "missing"],
    ["stash", "list"],
    ["add", "-A"],
    ["merge-tree", "--write-tree", "main", "other"],
    ["commit", "-qm", "snapshot", "--trailer", "X: y"],
    ["show", "HEAD"],
    ["status"],
    ["checkout", "-q", "-f", "main"],
    ["fetch", "-q", "origin"],
    ["-C", "inner", "status"],
  ]
    .map((args) => {
      const { stdout, stderr } = spawnSync("git", args, { cwd: dir, env: gitEnv, timeout: 20_000 });
      return `${stdout}${stderr}`;
    })
    .join("\n");

let asking: string | null = null;

/** A host that asks for a credential. */
const askingHost = (): string => {
  if (asking === null) throw new Error("openAskingHost was not called.");
  return asking;
};

/** Opens it in a process of its own, because tests call git synchronously. */
export const openAskingHost = async (): Promise<() => void> => {
  const script = `require("node:http").createServer((_, answer) =>
    answer.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end()
  ).listen(0, "127.0.0.1", function () { console.log(this.address().port); });`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  asking = `http://127.0.0.1:${Number(port)}`;
  return () => child.kill();
};
