import type {
  PolledPullRequest,
  PullRequestAtHost,
} from "../../core/model/repositories/pull-request-at-host.ts";
import type { AskedPullRequest } from "../../ports/git-hosts.ts";
import type { HostApi } from "./host-api.ts";

/** The calls to hosts of one kind. `repo` is the path of the repository in the interface. Each throws HostUnusable. */
export interface HostModule {
  /** Where the interface is, by the address of the repository. */
  readonly apiOf: (repository: URL) => string;
  /** The word before the token in `Authorization`. */
  readonly scheme: string;
  /** By the parts of the path of the repository's address. */
  readonly repositoryOf: (path: readonly string[]) => string;
  /** The open one of the branches; null: it has none. */
  readonly find: (
    api: HostApi,
    repo: string,
    asked: AskedPullRequest,
    path: readonly string[],
  ) => Promise<PullRequestAtHost | null>;
  readonly create: (api: HostApi, repo: string, asked: AskedPullRequest) => Promise<PullRequestAtHost>;
  readonly poll: (api: HostApi, repo: string, number: number) => Promise<PolledPullRequest>;
}
