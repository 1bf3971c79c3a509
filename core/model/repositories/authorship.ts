import type { Agent } from "../agents/agent.ts";
import { oneLine } from "../shared/sentence.ts";
import { isRefName, type Repository } from "./repository.ts";

/** The author of a commit, for git: neither has a line end or an angle bracket. */
export interface Author {
  readonly name: string;
  readonly email: string;
}

type AuthorAgent = Pick<Agent, "name" | "urlKey">;

/** The service's own. */
export const serviceAuthor: Author = { name: "Boardroom", email: "boardroom@localhost" };

/** The default. The domain `invalid` can belong to nobody. */
export const defaultPatterns = {
  authorName: "{agent}",
  authorEmail: "{agentKey}@agents.boardroom.invalid",
  branch: "boardroom/{identifier}",
} as const;

const placeholders = (pattern: string): readonly string[] => pattern.match(/\{[^{}]*\}|[{}]/g) ?? [];

const filled = (pattern: string, values: Readonly<Record<string, string>>): string =>
  pattern.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

/** Whether git takes it as the name of an author, with the agent's name for `{agent}`. */
export const isAuthorNamePattern = (pattern: string): boolean =>
  placeholders(pattern).every((each) => each === "{agent}") &&
  !/[\p{Cc}<>]/u.test(pattern) &&
  /[\p{L}\p{N}]/u.test(pattern);

/** Whether it is an address, with the agent's name as it is in addresses of the page for `{agentKey}`. */
export const isAuthorEmailPattern = (pattern: string): boolean =>
  placeholders(pattern).every((each) => each === "{agentKey}") &&
  /^[^\s\p{Cc}<>@"]+@[^\s\p{Cc}<>@"]+$/u.test(pattern);

/**
 * Whether it names a branch for each issue: the identifier is in it once, and no letter or digit touches it, so that no
 * two issues have one.
 */
export const isBranchPattern = (pattern: string): boolean =>
  placeholders(pattern).join() === "{identifier}" &&
  !/[\p{L}\p{N}]\{|\}[\p{L}\p{N}]/u.test(pattern) &&
  isRefName(filled(pattern, { identifier: "ABC-1" }));

/** The branch at the host of an issue's pull request. */
export const branchAtHost = (
  { branchPattern }: Pick<Repository, "branchPattern">,
  identifier: string,
): string => filled(branchPattern ?? defaultPatterns.branch, { identifier });

/** null: the agent is not known any more. */
export const authorOf = (
  { authorName, authorEmail }: Pick<Repository, "authorName" | "authorEmail">,
  agent: AuthorAgent | null,
): Author => {
  if (agent === null) return serviceAuthor;
  const { urlKey: agentKey } = agent;
  const name = oneLine(agent.name).replaceAll(/[<>]/g, "");
  return {
    // Git rejects a name that consists of punctuation only.
    name: filled(authorName ?? defaultPatterns.authorName, {
      agent: /[\p{L}\p{N}]/u.test(name) ? name : agentKey,
    }),
    email: filled(authorEmail ?? defaultPatterns.authorEmail, { agentKey }),
  };
};

/** The trailers of a commit message that name its origin, without an agent or run that is null. */
export const trailersOf = (
  identifier: string,
  agent: Pick<Agent, "name"> | null,
  runId: string | null,
): readonly string[] => [
  `Boardroom-Issue: ${identifier}`,
  ...(agent === null ? [] : [`Boardroom-Agent: ${oneLine(agent.name)}`]),
  ...(runId === null ? [] : [`Boardroom-Run: ${runId}`]),
];
