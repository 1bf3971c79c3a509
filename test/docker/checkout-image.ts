import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { makeNodeImage, nodeImage, podmanIn } from "./podman.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const cache = join(homedir(), ".cache/boardroom-images");

/** Two versions that differ in their label alone: nothing is released whose upgrade could be tried. */
export const versions = ["0.1.0", "0.1.1"] as const;
/** The name under which the docs push the image. */
export const imageName = "registry.example.com/boardroom";

/** Takes the place of PostgreSQL's own image, by its variables and volume, with Debian's PostgreSQL. */
const postgresFile = `FROM ${nodeImage}
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/*
RUN chown postgres: /var/lib/postgresql && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/ || true
COPY --chmod=755 entrypoint /usr/local/bin/
USER postgres
ENV PGDATA=/var/lib/postgresql/data
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
ENTRYPOINT ["entrypoint"]
`;
const postgresEntrypoint = `#!/bin/sh
set -eu
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" > /tmp/password
  initdb --username "$POSTGRES_USER" --pwfile /tmp/password --auth-local trust --auth-host scram-sha-256 --encoding UTF8
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  pg_ctl start --wait --options "-c listen_addresses=''"
  createdb --username "$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl stop --wait
fi
exec postgres -c listen_addresses='*'
`;

/** The hash of the files of which the image is made, changed and new ones included. */
const stateOfCheckout = (folder: string): string => {
  const env = { ...process.env, GIT_INDEX_FILE: join(folder, "index") };
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, env }).toString().trim();
  git("read-tree", "HEAD");
  git("add", "--all");
  const others = ["docs", "test", "*.md", "deploy/compose.yaml", "deploy/kubernetes", "deploy/systemd"];
  git("rm", "-r", "--cached", "--quiet", "--ignore-unmatch", ...others);
  return git("write-tree");
};

/** Returns an archive with both versions of the image and `postgres:18`, made once for each state of the checkout. */
export const archiveOfImages = async (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "br-images-"));
  const archive = join(cache, `${stateOfCheckout(folder)}.tar`);
  if (existsSync(archive)) {
    rmSync(folder, { recursive: true });
    return archive;
  }
  mkdirSync(cache, { recursive: true });
  for (const former of readdirSync(cache)) rmSync(join(cache, former), { recursive: true });
  const podman = podmanIn(folder);
  try {
    await makeNodeImage(podman, folder);
    const build = (name: string, ...args: readonly string[]) =>
      run(join(folder, "bin/docker"), ["build", "--tag", name, ...args], {
        cwd: root,
        env: podman.env,
        maxBuffer: 64 * 1024 * 1024,
      });
    for (const version of versions)
      await build(
        `${imageName}:${version}`,
        "--file",
        "deploy/Dockerfile",
        "--label",
        `version=${version}`,
        ".",
      );
    const files = join(folder, "postgres");
    mkdirSync(files);
    writeFileSync(join(files, "Dockerfile"), postgresFile);
    writeFileSync(join(files, "entrypoint"), postgresEntrypoint);
    await build("docker.io/library/postgres:18", files);
    const making = join(folder, "images.tar");
    const names = [...versions.map((version) => `${imageName}:${version}`), "docker.io/library/postgres:18"];
    await podman.docker("save", "--multi-image-archive", "--output", making, ...names);
    const temporary = `${archive}.${process.pid}`;
    execFileSync("cp", [making, temporary]);
    renameSync(temporary, archive);
    return archive;
  } finally {
    await podman.close();
  }
};
