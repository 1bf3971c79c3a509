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
  /** The folders that a workspace has of it, with the files next to and above them; null: all. */
  readonly sparseFolders: readonly string[] | null;
  /** For a shell, in its clone: when the workspace is new or what it depends on has changed, as lock files say. */
  readonly setupCommand: string | null;
  /** Before each run. */
  readonly runCommand: string | null;
  /** Before the workspace is removed. */
  readonly archiveCommand: string | null;
  /** Of each of these. */
  readonly commandTimeoutSec: number;
  /** Whether the host may be this machine or in a private network. */
  readonly allowPrivateHost: boolean;
  /** The kind of its host's interface; null: it opens no pull requests. */
  readonly hostKind: HostKind | null;
  /** Where its interface is; null: where hosts of that kind have it. */
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
  /** When the host was asked last, and what was wrong then: a sentence; null: nothing. */
  readonly checkedAt: Instant;
  readonly problem: string | null;
  /** Since when it is not the project's any more. What was kept of its issues stays. */
  readonly removedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export class RepositoryNotFound extends refusal(
  "repository_not_found",
  "not_found",
  "There is no such repository.",
) {}

/** Details: `{ path }` of the field. */
export class RepositoryUrlInvalid extends refusal(
  "repository_url_invalid",
  "unprocessable",
  "The address of a repository is an http or https address without user, password, query and fragment.",
) {}

/** Details: `{ path }`. */
export class RepositoryDirectoryTaken extends refusal(
  "repository_directory_taken",
  "conflict",
  "The project has a repository in that folder, in one above or in one below it.",
) {}

/** Why the host gives no repository, for programs. */
export const hostProblems = [
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

/** The host cannot be used as it was set. Details: `{ path, reason }`; the sentence is for people. */
export class RepositoryUnusable extends refusal(
  "repository_unusable",
  "unprocessable",
  "The repository cannot be used.",
) {}

/** This machine cannot hold repositories; the sentence says why. */
export class RepositoriesUnavailable extends refusal(
  "repositories_unavailable",
  "conflict",
  "This service cannot hold repositories.",
) {}

/** The branch of an issue in the service's stores, and in a workspace. */
export const branchOfIssue = (identifier: string): string => `boardroom/${identifier}`;

/** Where the refs of a run are in the kept store, with a slash at the end. */
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

/** Returns the address as it is stored: a password in it would reach logs, pages and processes. */
export const checkedUrl = (
  text: string,
  field: "url" | "hostApiUrl" = "url",
): Result.Result<string, RepositoryUrlInvalid> => {
  const no = (message?: string) => Result.fail(new RepositoryUrlInvalid({ path: [field] }, message));
  if (/\s|\p{Cc}/u.test(text) || !URL.canParse(text)) return no();
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    return no(
      "The address must hold no user and no password. Store the token as a secret, and name it in credentialSecretId.",
    );
  const isPlain =
    /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && !/[?#]/.test(text);
  return isPlain && url.hostname !== "" && url.pathname !== "/" ? Result.succeed(url.href) : no();
};

/** Whether git takes the name for a branch, by the strict half of its rules. */
export const isRefName = (name: string): boolean =>
  name.length <= 200 &&
  /^[\p{L}\p{N}_.@+/-]+$/u.test(name) &&
  !/^[-/@]|[/.]$|\.\.|\/\/|\/\.|^\.|\.lock(\/|$)|@\{/.test(name);

/** Whether a branch of the host may have the name: those of issues have the rest. */
export const isBranchName = (name: string): boolean => isRefName(name) && !/^boardroom(\/|$)/.test(name);

/** Returns the folder without slashes at its ends. */
export const checkedDirectory = (
  text: string,
  field = "directory",
): Result.Result<string, ValidationFailed> => {
  const path = text.replace(/\/+$/, "").replace(/^\.\//, "");
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
            message: "must be a relative path of letters, digits and . _ - + @, with no hyphen first",
          },
        ]),
      );
};

/** Returns the folders without slashes at their ends; null: all, also where none is named. */
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
