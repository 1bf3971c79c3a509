import * as Result from "effect/Result";
import { refusal, ValidationFailed } from "../shared/failure.ts";
import type { CompanyId, ProjectId, RepositoryId, SecretId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { Change } from "../shared/patch.ts";

/** `issue`: each issue has a workspace of its own; `shared`: agents work in their own folders, as without repository. */
export const repositoryModes = ["issue", "shared"] as const;

export type RepositoryMode = (typeof repositoryModes)[number];

/** The hosts at which the service opens pull requests; GitLab calls them merge requests. */
export const hostKinds = ["github", "gitlab", "gitea", "forgejo"] as const;

export type HostKind = (typeof hostKinds)[number];

/** A repository of a project at a host. Agents never hold its credential: the service alone talks to the host. */
export interface Repository {
  readonly id: RepositoryId;
  readonly companyId: CompanyId;
  readonly projectId: ProjectId;
  /** http or https, without user, query and fragment. */
  readonly url: string;
  readonly defaultBranch: string;
  /** The secret that holds the token or password; null: the host asks for none. */
  readonly credentialSecretId: SecretId | null;
  /** Where it is laid out in a workspace, relative; null: the workspace itself, where it is the project's only one. */
  readonly directory: string | null;
  readonly mode: RepositoryMode;
  /** The folders that a workspace contains, with the files next to and above them; null: all. */
  readonly sparseFolders: readonly string[] | null;
  /** A shell command in its clone, run when the workspace is new or its dependencies have changed, judged by lock files. */
  readonly setupCommand: string | null;
  /** Before each run. */
  readonly runCommand: string | null;
  /** Before the workspace is removed. */
  readonly archiveCommand: string | null;
  /** Of each of these. */
  readonly commandTimeoutSec: number;
  /** Whether the host may be this machine or in a private network. */
  readonly allowPrivateHost: boolean;
  /** The kind of its host's API; null: it opens no pull requests. */
  readonly hostKind: HostKind | null;
  /** The URL of that API; null: the default of that kind. */
  readonly hostApiUrl: string | null;
  /** A pull request that is merged there makes its issue done. */
  readonly closesIssues: boolean;
  /** The secret that the host signs its webhook with; null: it calls none. */
  readonly webhookSecretId: SecretId | null;
  /** The author of commits, with `{agent}` and `{agentKey}` for what differs; null: `defaultPatterns`. */
  readonly authorName: string | null;
  readonly authorEmail: string | null;
  /** The branch at the host of an issue's pull request, with `{identifier}`; null: `defaultPatterns`. */
  readonly branchPattern: string | null;
  /** When the host was last asked, and the problem then, as a sentence; null: none. */
  readonly checkedAt: Instant;
  readonly problem: string | null;
  /** When it was removed from the project. The captured work of its issues stays. */
  readonly removedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export class RepositoryNotFound extends refusal(
  "repository_not_found",
  "not_found",
  "Repository not found.",
) {}

/** Details: `{ path }` of the field. */
export class RepositoryUrlInvalid extends refusal(
  "repository_url_invalid",
  "unprocessable",
  "A repository URL must be http or https, without a user, password, query or fragment.",
) {}

/** Details: `{ path }`. */
export class RepositoryDirectoryTaken extends refusal(
  "repository_directory_taken",
  "conflict",
  "The project already has a repository in this folder, a parent or a subfolder.",
) {}

/** Why the host does not serve the repository, as a code. */
const hostProblems = [
  "unreachable",
  "address_refused",
  "credential_missing",
  "credential_refused",
  "not_found",
  "no_such_branch",
  "redirected",
  "not_a_repository",
  "too_large",
  "timed_out",
  "rejected",
] as const;

export type HostProblem = (typeof hostProblems)[number];

/** The host cannot be used as configured. Details: `{ path, reason }`; the sentence is for people. */
export class RepositoryUnusable extends refusal(
  "repository_unusable",
  "unprocessable",
  "This repository can't be used.",
) {}

/** This machine cannot hold repositories; the sentence says why. */
export class RepositoriesUnavailable extends refusal(
  "repositories_unavailable",
  "conflict",
  "This service can't store repositories.",
) {}

/** The branch of an issue in the service's stores, and in a workspace. */
export const branchOfIssue = (identifier: string): string => `boardroom/${identifier}`;

/** The prefix of a run's refs in the store of captured work, with a slash at the end. */
export const refsOfRun = (runId: string): string => `refs/boardroom/runs/${runId}/`;

/** The fields that a person sets. */
export const repositoryFields = [
  "url",
  "defaultBranch",
  "credentialSecretId",
  "directory",
  "mode",
  "allowPrivateHost",
  "hostKind",
  "hostApiUrl",
  "closesIssues",
  "webhookSecretId",
  "sparseFolders",
  "setupCommand",
  "runCommand",
  "archiveCommand",
  "commandTimeoutSec",
  "authorName",
  "authorEmail",
  "branchPattern",
] as const;

export type RepositoryFields = Change<Repository, (typeof repositoryFields)[number]>;

/** Returns the address as it is stored, without a password, which would reach logs, pages and processes. */
export const checkedUrl = (
  text: string,
  field: "url" | "hostApiUrl" = "url",
): Result.Result<string, RepositoryUrlInvalid> => {
  const refuse = (message?: string) => Result.fail(new RepositoryUrlInvalid({ path: [field] }, message));
  if (/\s|\p{Cc}/u.test(text) || !URL.canParse(text)) return refuse();
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    return refuse(
      "The URL must not contain a user or password. Store the token as a secret and set credentialSecretId.",
    );
  const isPlain =
    /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && !/[?#]/.test(text);
  return isPlain && url.hostname !== "" && url.pathname !== "/" ? Result.succeed(url.href) : refuse();
};

/** Whether git takes the name for a branch, by the strict half of its rules. */
export const isRefName = (name: string): boolean =>
  name.length <= 200 &&
  /^[\p{L}\p{N}_.@+/-]+$/u.test(name) &&
  !/^[-/@]|[/.]$|\.\.|\/\/|\/\.|^\.|\.lock(\/|$)|@\{/.test(name);

/** Whether a branch of the host may have the name: the other names belong to issues. */
export const isBranchName = (name: string): boolean => isRefName(name) && !/^boardroom(\/|$)/.test(name);

/** Returns the folder without slashes at its ends. */
export const checkedDirectory = (
  text: string,
  field = "directory",
): Result.Result<string, ValidationFailed> => {
  const path = text.replace(/(?<!\/)\/+$/, "").replace(/^\.\//, "");
  const parts = path.split("/");
  const isUsable =
    path.length <= 200 &&
    parts.every((part) => /^[\w.+@][\w.+@-]*$/.test(part) && !/^\.{1,2}$|^\.git$/i.test(part));
  return isUsable
    ? Result.succeed(path)
    : Result.fail(
        new ValidationFailed([
          {
            path: [field],
            code: "invalid",
            message:
              "must be a relative path of letters, digits and . _ - + @ that doesn't start with a hyphen",
          },
        ]),
      );
};

/** Returns the folders without slashes at their ends; null: all, also for an empty list. */
export const checkedFolders = (
  folders: readonly string[],
): Result.Result<readonly string[] | null, ValidationFailed> => {
  const all: string[] = [];
  for (const folder of folders) {
    const checked = checkedDirectory(folder, "sparseFolders");
    if (Result.isFailure(checked)) return Result.fail(checked.failure);
    all.push(checked.success);
  }
  return Result.succeed(all.length === 0 ? null : [...new Set(all)].sort());
};

/** Whether two repositories of a project would be laid out one inside the other. */
export const overlap = (one: string | null, other: string | null): boolean =>
  one === null ||
  other === null ||
  one === other ||
  one.startsWith(`${other}/`) ||
  other.startsWith(`${one}/`);
