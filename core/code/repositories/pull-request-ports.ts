import type { GitHosts } from "../../../ports/git-hosts.ts";
import type { BringPorts } from "./bring-work.ts";

/** The ports of the use cases of pull requests. */
export interface PullRequestPorts extends BringPorts {
  readonly gitHosts: GitHosts;
}
