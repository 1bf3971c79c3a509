import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { stepTools } from "../../adapters-infra/runner-helper/check-engine.ts";

const tools = [
  ...["node", "sh", "true", "echo", "cat", "id", "touch", "ls", "grep", "wc", "sleep", "env", "curl"],
  ...stepTools,
  // Used by agents in workspaces of issues.
  ...["git", "mkfifo", "printf", "sha1sum", "truncate"],
];
/** Git finds it on PATH. */
const gitOverHttp = "/usr/lib/git-core/git-remote-http";

/**
 * Makes an image of this machine's own node and a few programs, so that no registry is asked: an archive in `folder` that
 * Docker, podman and containerd load. Returns its path. `more` are further programs, by their names in the image.
 */
export const agentImage = async (
  folder: string,
  name: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const programs = {
    ...Object.fromEntries(tools.map((tool) => [tool, programOf(tool)])),
    "git-remote-http": gitOverHttp,
    ...more,
  };
  const work = mkdtempSync(join(folder, "image-"));
  try {
    const root = join(work, "root");
    for (const each of ["bin", "usr/bin", "usr/local/bin", "etc", "proc", "sys", "dev", "run", "var"])
      mkdirSync(join(root, each), { recursive: true });
    mkdirSync(join(root, "tmp"));
    chmodSync(join(root, "tmp"), 0o1777);
    for (const [command, program] of Object.entries(programs)) {
      copy(program, join(root, "bin", command));
      for (const [library] of librariesOf(program).matchAll(/\/\S+/g)) copy(library, join(root, library));
    }
    copyEncodings(root);
    symlinkSync("/bin/env", join(root, "usr/bin/env"));
    writeFileSync(join(root, "etc/passwd"), "root:x:0:0::/:/bin/sh\nagent:x:1000:1000::/tmp:/bin/sh\n");
    writeFileSync(join(root, "etc/group"), "root:x:0:\nagent:x:1000:\n");
    const layer = join(work, "layer.tar");
    execFileSync("tar", ["-C", root, "--owner=0", "--group=0", "-cf", layer, "."]);
    rmSync(root, { recursive: true });
    writeFileSync(
      join(work, "config.json"),
      JSON.stringify({
        architecture: process.arch === "x64" ? "amd64" : process.arch,
        os: "linux",
        config: { Env: ["PATH=/usr/local/bin:/usr/bin:/bin"] },
        rootfs: { type: "layers", diff_ids: [`sha256:${await sha256(layer)}`] },
      }),
    );
    writeFileSync(
      join(work, "manifest.json"),
      JSON.stringify([{ Config: "config.json", RepoTags: [name], Layers: ["layer.tar"] }]),
    );
    const file = `${work}.tar`;
    execFileSync("tar", ["-C", work, "-cf", file, "manifest.json", "config.json", "layer.tar"]);
    return file;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};

const sha256 = async (file: string): Promise<string> => {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
};

const copy = (from: string, to: string): void => {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(realpathSync(from), to);
};

/** The encodings to which git converts files where .gitattributes of the tests say so. */
const copyEncodings = (root: string): void => {
  const libc = /\/\S+\/libc\.so\.6/.exec(librariesOf(process.execPath))?.[0];
  if (libc === undefined) return;
  const folder = join("/usr", dirname(libc).replace(/^\/usr/, ""), "gconv");
  for (const name of ["UTF-16.so", "SJIS.so", "gconv-modules", "gconv-modules.d"])
    if (existsSync(join(folder, name)))
      cpSync(join(folder, name), join(root, folder, name), { recursive: true });
};

const librariesOf = (program: string): string => {
  try {
    return execFileSync("ldd", [program], { stdio: ["ignore", "pipe", "ignore"] }).toString();
  } catch {
    return "";
  }
};

/** The path of a program of this machine. */
export const programOf = (name: string): string => {
  const program = name === "node" ? process.execPath : where(name);
  if (program === null) throw new Error(`This machine has no ${name}.`);
  return program;
};

/** The same; null: it has none. */
export const where = (name: string): string | null =>
  [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/sbin"]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path)) ?? null;
