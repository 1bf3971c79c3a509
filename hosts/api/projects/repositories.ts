import * as Effect from "effect/Effect";
import { z } from "zod";
import { Unauthenticated } from "../../../core/model/access/caller.ts";
import { ProjectNotFound } from "../../../core/model/projects/project.ts";
import {
  isAuthorEmailPattern,
  isAuthorNamePattern,
  isBranchPattern,
} from "../../../core/model/repositories/authorship.ts";
import {
  hostKinds,
  isBranchName,
  RepositoriesUnavailable,
  RepositoryDirectoryTaken,
  RepositoryNotFound,
  RepositoryUnusable,
  RepositoryUrlInvalid,
  repositoryModes,
} from "../../../core/model/repositories/repository.ts";
import { SecretDisabled } from "../../../core/model/secrets/secret.ts";
import { ReferenceNotFound, ValidationFailed } from "../../../core/model/shared/failure.ts";
import type { RepositoryId, SecretId } from "../../../core/model/shared/ids.ts";
import { acting, inCompanyOf, open } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { rawEndpoint } from "../endpoint/raw-endpoint.ts";
import { Done, reference, upTo } from "../endpoint/values.ts";
import { RepositoryShape } from "./repository-shapes.ts";

const command = upTo(10_000).min(1).nullable().optional();

const fields = {
  defaultBranch: z
    .string()
    .refine(isBranchName, "must be the name of a branch, and not below boardroom/")
    .optional()
    .describe("Default main."),
  credentialSecretId: reference<SecretId>()
    .nullable()
    .optional()
    .describe("A secret of the company with a token, or with user:password. null: the host asks for none."),
  directory: upTo(200)
    .min(1)
    .nullable()
    .optional()
    .describe("Where it is laid out in a workspace. null: the workspace itself, for a project's only one."),
  mode: z
    .enum(repositoryModes)
    .optional()
    .describe("issue (the default): a workspace for each issue; shared: agents work in their own folders."),
  allowPrivateHost: z
    .boolean()
    .optional()
    .describe("The host may be on this machine or in a private network. Default false."),
  hostKind: z
    .enum(hostKinds)
    .nullable()
    .optional()
    .describe("The host's interface, where pull requests are opened. null, the default: none are."),
  hostApiUrl: upTo(2_000)
    .min(1)
    .nullable()
    .optional()
    .describe("Where the interface is, if not where hosts of that kind have it."),
  closesIssues: z
    .boolean()
    .optional()
    .describe("Whether a pull request that is merged at the host makes its issue done. Default false."),
  webhookSecretId: reference<SecretId>()
    .nullable()
    .optional()
    .describe(
      "A secret of the company that the host signs its webhook with; without one the host is only polled.",
    ),
  sparseFolders: z
    .array(upTo(200).min(1))
    .max(100)
    .nullable()
    .optional()
    .describe("Lay out only these folders in workspaces, with the files next to and above them. null: all."),
  setupCommand: command.describe(
    "For a shell, in a new workspace and when lock files have changed, as the agents' user in their sandbox, with the variables of the run's agent and SERVICE_PORT_BASE. A failure ends the run.",
  ),
  runCommand: command.describe("The same before each run."),
  archiveCommand: command.describe(
    "Before a workspace is removed, without an agent's variables. A failure is recorded and stops nothing.",
  ),
  commandTimeoutSec: z
    .number()
    .int()
    .min(1)
    .max(3_600)
    .optional()
    .describe("The longest time of each command, in seconds. Default 600."),
  authorName: upTo(200)
    .refine(isAuthorNamePattern, "must be a name, in which {agent} stands for the agent's, without < and >")
    .nullable()
    .optional()
    .describe("The author of commits, where {agent} is the agent's name. null: {agent}."),
  authorEmail: upTo(200)
    .refine(isAuthorEmailPattern, "must be an address, in which {agentKey} stands for the agent")
    .nullable()
    .optional()
    .describe(
      "The author's address, where {agentKey} is the agent's name as in addresses of the page. null: {agentKey}@agents.boardroom.invalid, which cannot receive mail.",
    ),
  branchPattern: upTo(150)
    .refine(
      isBranchPattern,
      "must be the name of a branch with {identifier} in it once, which no letter or digit touches",
    )
    .nullable()
    .optional()
    .describe(
      "The branch at the host of an issue's pull request, where {identifier} is the issue's. null: boardroom/{identifier}. One that is open keeps its branch.",
    ),
};

const failures = [
  ReferenceNotFound,
  RepositoriesUnavailable,
  RepositoryDirectoryTaken,
  RepositoryUnusable,
  RepositoryUrlInvalid,
  SecretDisabled,
  ValidationFailed,
] as const;

const checks =
  "The host is called before anything is stored: a 422 repository_unusable says in a sentence what is wrong, and names the field. Redirects are not followed, and the credential is sent to this address alone. Agents never get it.";

export const repositories = {
  list: endpoint({
    method: "GET",
    path: "/api/projects/{projectId}/repositories",
    summary: "List the repositories of a project",
    description: "Oldest first.",
    access: inCompanyOf("project", "viewer"),
    returns: z.array(RepositoryShape).readonly(),
    run: ({ views }, { projectId }) => views.planning.repositories(projectId),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/projects/{projectId}/repositories",
    summary: "Add a repository to a project",
    description: checks,
    access: acting("project", "manageRepositories"),
    body: z.strictObject({
      url: upTo(2_000).min(1).describe("http or https, without user and password."),
      ...fields,
    }),
    returns: RepositoryShape,
    status: 201,
    failures: [...failures, ProjectNotFound, RepositoryNotFound],
    creates: { again: ({ views }, id) => views.planning.repository(id as RepositoryId) },
    run: ({ repositories, views }, input, { by, newId }) =>
      repositories
        .add({ ...input, id: newId<RepositoryId>(), by })
        .pipe(Effect.flatMap(({ id }) => views.planning.repository(id))),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/repositories/{repositoryId}",
    summary: "Show a repository",
    access: inCompanyOf("repository", "viewer"),
    returns: RepositoryShape,
    failures: [RepositoryNotFound],
    run: ({ views }, { repositoryId }) => views.planning.repository(repositoryId),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/repositories/{repositoryId}",
    summary: "Change a repository, or check its host again",
    description: `Omitted fields stay unchanged. ${checks}`,
    access: acting("project", "manageRepositories", "repository"),
    body: z.strictObject({ url: upTo(2_000).min(1).optional(), ...fields }),
    returns: RepositoryShape,
    failures: [...failures, RepositoryNotFound],
    run: ({ repositories, views }, input, { by }) =>
      repositories.update({ ...input, by }).pipe(Effect.flatMap(({ id }) => views.planning.repository(id))),
  }),
  hostEvent: rawEndpoint({
    path: "/api/repositories/{repositoryId}/host-events",
    summary: "Take a call of a host's webhook",
    description:
      "Signed with the secret in webhookSecretId: GitHub's, Gitea's and Forgejo's HMAC-SHA256 over the body, or GitLab's token. The open pull requests of the repository are polled soon, each at most every 5 s; nothing in the body counts.",
    access: open,
    headers: {
      "X-Hub-Signature-256": "Of GitHub: `sha256=` and lower-case hex.",
      "X-Gitea-Signature": "Of Gitea and Forgejo: lower-case hex.",
      "X-Forgejo-Signature": "The same.",
      "X-Gitlab-Token": "The secret itself.",
    },
    returns: z.object({ polls: z.number().describe("How many pull requests are polled soon.") }),
    failures: [Unauthenticated],
    run: ({ repositories }, { repositoryId, raw }) =>
      repositories.recordHostEvent({ ...raw, repositoryId: repositoryId as RepositoryId }),
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/repositories/{repositoryId}",
    summary: "Remove a repository from its project",
    description: "The host's repository is not touched, and work that was kept of issues stays.",
    access: acting("project", "manageRepositories", "repository"),
    returns: Done,
    failures: [RepositoryNotFound],
    run: ({ repositories }, input, { by }) =>
      repositories.remove({ ...input, by }).pipe(Effect.as({ ok: true as const })),
  }),
};
