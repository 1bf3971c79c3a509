import { statfs } from "node:fs/promises";
import * as Redacted from "effect/Redacted";
import {
  type HostedRepository,
  HostUnusable,
  type PushToHost,
  StoreFailed,
} from "../../ports/code-stores.ts";
import { checkedAddress } from "./addresses.ts";
import type { GitSetting } from "./git-settings.ts";
import { hostFailure, notARepository } from "./host-failure.ts";
import { type Git, namesLock, whyFailed } from "./run-git.ts";
import { type StoreFolder, writingShared } from "./store-folder.ts";
import { fullId } from "./store-refs.ts";

/**
 * Histories of real hosts, imported from other systems long ago, have these; nothing goes wrong with them. What runs push is
 * checked for all.
 */
const borneInHistory: readonly GitSetting[] = [
  "zeroPaddedFilemode",
  "badTimezone",
  "zeroPaddedDate",
  "missingSpaceBeforeEmail",
  "missingSpaceBeforeDate",
  "missingNameBeforeEmail",
  "badName",
  "missingEmail",
  "multipleAuthors",
  "missingTaggerEntry",
].map((fault) => [`fetch.fsck.${fault}`, "ignore"]);

/** The largest pack that a fetch may bring, and what must stay free on the disk. */
const packMaxBytes = 10 * 2 ** 30;
const freeMinBytes = 2 ** 30;
const gib = 2 ** 30;

/**
 * Lets git call exactly the host's address, with the credential for its URL alone.
 * @throws HostUnusable
 */
const settingsFor = async (host: HostedRepository): Promise<readonly GitSetting[]> => {
  const url = new URL(host.url);
  const address = await checkedAddress(url, host.allowPrivateHost);
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  const at = address.includes(":") ? `[${address}]` : address;
  const value = host.credential === null ? null : Redacted.value(host.credential).trim();
  // Hosts that take a token as password accept any user.
  const pair = value === null ? null : value.includes(":") ? value : `x-access-token:${value}`;
  return [
    [`protocol.${url.protocol.slice(0, -1)}.allow`, "always"],
    ["http.curloptResolve", `${url.hostname}:${port}:${at}`],
    ...(pair === null
      ? []
      : [
          [
            `http.${host.url}.extraHeader`,
            `Authorization: Basic ${Buffer.from(pair).toString("base64")}`,
          ] as const,
        ]),
  ];
};

/** @throws HostUnusable */
export const headAtHost = async (git: Git, host: HostedRepository, branch: string): Promise<string> => {
  const settings = await settingsFor(host);
  const ask = async (env: Readonly<Record<string, string>>) => {
    const outcome = await git.run({
      args: ["ls-remote", "--quiet", "--end-of-options", host.url, `refs/heads/${branch}`],
      folders: [],
      settings,
      env,
      isOnline: true,
      limitSec: 30,
    });
    if (outcome.exitCode !== 0) throw hostFailure(outcome, host.url, host.credential !== null);
    return outcome;
  };
  const { stdout } = await ask({});
  const line = stdout
    .toString()
    .split("\n")
    .find((each) => each.endsWith(`\trefs/heads/${branch}`));
  const commit = line?.slice(0, line.indexOf("\t"));
  if (commit !== undefined && /^[0-9a-f]{40}$/.test(commit)) return commit;
  // Git takes any page for a repository without branches. Its trace shows what the host answers, and hides credentials.
  const { stderr } = await ask({ GIT_TRACE_CURL: "1", GIT_TRACE_CURL_NO_DATA: "1" });
  throw stderr.includes("application/x-git-upload-pack-advertisement")
    ? new HostUnusable("no_such_branch", `The repository has no branch ${branch}.`)
    : notARepository(host.url);
};

/**
 * Brings the host's branches and tags into the shared store; published branches of issues stay.
 * @throws HostUnusable
 * @throws StoreFailed
 */
export const fetchFromHost = async (
  git: Git,
  folder: StoreFolder,
  host: HostedRepository,
  repair: () => Promise<void>,
): Promise<void> => {
  const { bavail, bsize } = await statfs(folder.root);
  if (bavail * bsize < freeMinBytes) throw new StoreFailed("The disk of the service is nearly full.");
  const settings = await settingsFor(host);
  const call = () =>
    git.run({
      program: "/usr/bin/prlimit",
      args: [
        `--fsize=${packMaxBytes}`,
        "--",
        "git",
        "--git-dir",
        folder.shared,
        "fetch",
        "--quiet",
        "--prune",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--end-of-options",
        host.url,
        "+refs/heads/*:refs/heads/*",
        "^refs/heads/boardroom",
        "^refs/heads/boardroom/*",
        "+refs/tags/*:refs/tags/*",
      ],
      folders: writingShared(folder),
      settings: [...settings, ...borneInHistory],
      isOnline: true,
      limitSec: 600,
      memoryBytes: 2 * gib,
    });
  let outcome = await call();
  if (outcome.exitCode !== 0) {
    await repair();
    if (namesLock(outcome.stderr)) outcome = await call();
  }
  // Git skips such branches and succeeds.
  if (/shallow roots are not allowed/.test(outcome.stderr))
    throw new HostUnusable(
      "rejected",
      `${new URL(host.url).host} has only a part of the history (a shallow clone). Fetch the rest there: git fetch --unshallow.`,
    );
  if (outcome.exitCode === 0) return;
  if (/File too large|file size limit/i.test(outcome.stderr))
    throw new HostUnusable("too_large", `The repository is larger than ${packMaxBytes / gib} GiB.`);
  if (/No space left on device|out of memory|mmap failed/i.test(outcome.stderr))
    throw new StoreFailed(whyFailed(outcome));
  throw hostFailure(outcome, host.url, host.credential !== null);
};

/**
 * @throws HostUnusable
 * @throws StoreFailed
 */
export const pushToHost = async (
  git: Git,
  folder: StoreFolder,
  host: HostedRepository,
  { branch, commit, expected }: PushToHost,
): Promise<"pushed" | "stale"> => {
  const ref = `refs/heads/${branch}`;
  const outcome = await git.run({
    args: [
      "--git-dir",
      folder.shared,
      "push",
      "--porcelain",
      "--no-verify",
      `--force-with-lease=${ref}:${expected ?? ""}`,
      "--end-of-options",
      host.url,
      `${fullId(commit)}:${ref}`,
    ],
    folders: writingShared(folder),
    settings: await settingsFor(host),
    isOnline: true,
    limitSec: 600,
    memoryBytes: 2 * gib,
  });
  const said = outcome.stdout.toString();
  if (outcome.exitCode === 0) return "pushed";
  // Hosts that see the lease broken themselves say so in words of their own.
  if (
    /^!.*\((?:stale info|fetch first|non-fast-forward|cannot lock ref|failed to update ref|incorrect old value)/m.test(
      said,
    )
  )
    return "stale";
  const refused = /^!.*\[(?:remote )?rejected\] \((.*)\)$/m.exec(said)?.[1];
  if (refused !== undefined)
    throw new HostUnusable(
      "rejected",
      `The host refuses the push: ${refused.replace(/\p{Cc}/gu, " ").slice(0, 300)}`,
    );
  throw hostFailure(outcome, host.url, host.credential !== null);
};
