import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The name of the image with which `deploy/Dockerfile` begins. */
export const nodeImage = "docker.io/library/node:20-bookworm-slim";

/** Podman with a storage of its own in the folder, which also answers to the command `docker`. */
export const podmanIn = (folder: string) => {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "run")];
  writeFileSync(
    join(folder, "containers.conf"),
    `[containers]\ndefault_ulimits = ["nofile=20000:20000", "nproc=20000:20000"]\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n`,
  );
  // A build reaches the registries through the machine's network.
  writeFileSync(
    join(bin, "docker"),
    `#!/bin/sh\n[ "$1" = build ] && { shift; set -- build --network host --format docker "$@"; }\nexec podman ${storage.join(" ")} "$@"\n`,
  );
  chmodSync(join(bin, "docker"), 0o755);
  const env = {
    ...process.env,
    PATH: [bin, process.env.PATH].join(delimiter),
    CONTAINERS_CONF: join(folder, "containers.conf"),
  };
  const docker = async (...args: readonly string[]): Promise<string> =>
    (await run(join(bin, "docker"), args, { env, maxBuffer: 64 * 1024 * 1024 })).stdout.trim();
  return {
    env,
    docker,
    /** Ends all containers and removes the folder. */
    close: async () => {
      await docker("rm", "--force", "--all", "--time", "0");
      await docker("system", "reset", "--force").catch(() => "");
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
    },
  };
};

export type Podman = ReturnType<typeof podmanIn>;

/** Makes the image of Node that the Dockerfile pulls, from Debian's packages and this machine's own node and npm. */
export const makeNodeImage = async ({ docker }: Podman, folder: string): Promise<void> => {
  const root = join(folder, "node-image");
  await run("debootstrap", ["--variant=minbase", "--include=ca-certificates,libstdc++6", "bookworm", root], {
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const each of [
    "var/cache/apt/archives",
    "var/lib/apt/lists",
    "usr/share/doc",
    "usr/share/man",
    "usr/share/locale",
  ])
    rmSync(join(root, each), { recursive: true, force: true });
  mkdirSync(join(root, "var/cache/apt/archives/partial"), { recursive: true });
  mkdirSync(join(root, "usr/local/lib/node_modules"), { recursive: true });
  cpSync(process.execPath, join(root, "usr/local/bin/node"));
  const npm = dirname(dirname(realpathSync(execFileSync("which", ["npm"]).toString().trim())));
  cpSync(npm, join(root, "usr/local/lib/node_modules/npm"), { recursive: true });
  for (const name of ["npm", "npx"])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, "usr/local/bin", name));
  execFileSync("chroot", [root, "sh", "-c", "groupadd -g 1000 node && useradd -u 1000 -g 1000 -m node"]);
  // The certificates that this machine trusts, for registries behind a proxy.
  const trusted = "/etc/ssl/certs/ca-certificates.crt";
  if (existsSync(trusted)) cpSync(trusted, join(root, trusted));
  const archive = join(folder, "node-image.tar");
  execFileSync("tar", ["-C", root, "-cf", archive, "."]);
  await docker("import", "--change", `ENV NODE_EXTRA_CA_CERTS=${trusted}`, archive, nodeImage);
  for (const each of [root, archive]) rmSync(each, { recursive: true });
};
