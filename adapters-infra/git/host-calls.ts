import { statfs } from "node:fs/promises";
import * as Redacted from "effect/Redacted";
import {
  type FirstCommit,
  type HostedRepository,
  HostUnusable,
  type PushToHost,
  StoreFailed,
} from "../../ports/code-stores.ts";
import { checkedAddress } from "./addresses.ts";
import { authorship, type GitSetting } from "./git-settings.ts";
import { hostFailure, notARepository } from "./host-failure.ts";
import { type Git, type GitCall, type GitOutcome, namesLock, whyFailed } from "./run-git.ts";
import { reading, type StoreFolder, writingShared } from "./store-folder.ts";
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

const shallowHost = (url: string): HostUnusable =>
  new HostUnusable(
    "rejected",
    `${new URL(url).host} has only a part of the history (a shallow clone). Fetch the rest there: git fetch --unshallow.`,
  );

/**
 * Returns the head of a branch; null: the repository has no branch at all.
 * @throws HostUnusable
 */
export const headAtHost = async (
  git: Git,
  host: HostedRepository,
  branch: string,
): Promise<string | null> => {
  const settings = await settingsFor(host);
  const list = (refs: readonly string[], more: Pick<GitCall, "settings" | "env"> = {}) =>
    git.run({
      args: ["ls-remote", "--quiet", "--heads", "--end-of-options", host.url, ...refs],
      folders: [],
      ...more,
      settings: [...settings, ...(more.settings ?? [])],
      isOnline: true,
      limitSec: 30,
    });
  const ref = `refs/heads/${branch}`;
  const outcome = await list([ref]);
  if (outcome.exitCode !== 0) throw hostFailure(outcome, host.url, host.credential !== null);
  // Git takes a name for the end of others, too.
  const line = outcome.stdout
    .toString()
    .split("\n")
    .find((each) => each.endsWith(`\t${ref}`));
  const commit = line?.slice(0, line.indexOf("\t"));
  if (commit !== undefined && /^[0-9a-f]{40}$/.test(commit)) {
    // Only the first protocol says so before a fetch. Where a host does not answer it in time, each fetch finds out.
    const first = await list([ref], {
      settings: [["protocol.version", "0"]],
      env: { GIT_TRACE_PACKET: "1" },
    });
    if (/< shallow [0-9a-f]{40}$/m.test(first.stderr)) throw shallowHost(host.url);
    return commit;
  }
  // Git takes any page for a repository without branches. Its trace shows what the host answers, and hides credentials.
  const all = await list([], { env: { GIT_TRACE_CURL: "1", GIT_TRACE_CURL_NO_DATA: "1" } });
  if (all.exitCode !== 0 && all.ended !== "output")
    throw hostFailure(all, host.url, host.credential !== null);
  if (all.stdout.length > 0)
    throw new HostUnusable("no_such_branch", `The repository has no branch ${branch}.`);
  if (!all.stderr.includes("application/x-git-upload-pack-advertisement")) throw notARepository(host.url);
  return null;
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
  if (/shallow roots are not allowed/.test(outcome.stderr)) throw shallowHost(host.url);
  if (outcome.exitCode === 0) return;
  if (/File too large|file size limit/i.test(outcome.stderr))
    throw new HostUnusable("too_large", `The repository is larger than ${packMaxBytes / gib} GiB.`);
  if (/No space left on device|out of memory|mmap failed/i.test(outcome.stderr))
    throw new StoreFailed(whyFailed(outcome));
  throw hostFailure(outcome, host.url, host.credential !== null);
};

/**
 * A repository of the one branch that is pushed, which ends with the call. Its pattern names that branch alone, where any
 * other form of a refspec may name several, such as `main` and `refs/heads/main`. It goes to git's helper for the protocol
 * (gitremote-helpers(7)), because `git push` replaces patterns.
 */
const pushOne = `
t=$(mktemp -d) && trap 'rm -rf "$t"' EXIT
git init -q --bare --template= -b main "$t"
export GIT_DIR="$t"
push() {
  git update-ref "$2" "$3"
  printf 'option verbosity 0\noption dry-run %s\noption cas %s:%s\npush refs/heads/*:refs/heads/*\n\n' "$5" "$2" "$4" |
    git "remote-\${1%%:*}" "$1" "$1"
}
`;

/**
 * @throws HostUnusable
 * @throws StoreFailed
 */
export const pushToHost = async (
  git: Git,
  folder: StoreFolder,
  host: HostedRepository,
  { branch, commit, expected }: PushToHost,
): Promise<"pushed" | "stale"> =>
  outcomeOfPush(
    host,
    branch,
    await git.run({
      program: "/bin/sh",
      args: [
        "-ec",
        `${pushOne}
         mkdir -p "$t/objects/info"
         echo "$5/objects" >"$t/objects/info/alternates"
         push "$1" "$2" "$3" "$4" false`,
        "sh",
        host.url,
        `refs/heads/${branch}`,
        fullId(commit),
        expected ?? "",
        folder.shared,
      ],
      folders: reading(folder),
      settings: await settingsFor(host),
      isOnline: true,
      limitSec: 600,
      memoryBytes: 2 * gib,
    }),
  );

/**
 * Makes the first commit of a repository without branches, which has no files.
 * @throws HostUnusable
 */
export const beginAtHost = async (
  git: Git,
  host: HostedRepository,
  { branch, message, author, isTrial }: FirstCommit,
): Promise<"pushed" | "stale"> =>
  outcomeOfPush(
    host,
    branch,
    await git.run({
      program: "/bin/sh",
      args: [
        "-ec",
        `${pushOne}
         tree=$(git mktree </dev/null)
         commit=$(git commit-tree "$tree" -F -)
         push "$1" "$2" "$commit" "" "$3"`,
        "sh",
        host.url,
        `refs/heads/${branch}`,
        String(isTrial),
      ],
      input: message,
      folders: [],
      env: authorship(author),
      settings: await settingsFor(host),
      isOnline: true,
      limitSec: 60,
    }),
  );

const outcomeOfPush = (host: HostedRepository, branch: string, outcome: GitOutcome): "pushed" | "stale" => {
  // The helper has a line for each branch of the host: the others match nothing that is pushed.
  const lines = outcome.stdout.toString().split("\n");
  const [answer, refused = ""] = lines.flatMap((line) => {
    const [word = "", ref, ...rest] = line.split(" ");
    return ref === `refs/heads/${branch}` ? [word, rest.join(" ")] : [];
  });
  if (answer === "ok") return "pushed";
  // Hosts that see the lease broken themselves say so in words of their own.
  if (
    /^"?(?:stale info|fetch first|non-fast.forward|already exists|cannot lock ref|failed to update ref|incorrect old value)/.test(
      refused,
    )
  )
    return "stale";
  if (answer === "error")
    throw new HostUnusable(
      "rejected",
      `The host refuses the push: ${refused.replace(/\p{Cc}/gu, " ").slice(0, 300)}`,
    );
  throw hostFailure(outcome, host.url, host.credential !== null);
};
