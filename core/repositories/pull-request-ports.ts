import type { Clock } from "../../ports/clock.ts";
import type { CodeStores } from "../../ports/code-stores.ts";
import type { GitHosts } from "../../ports/git-hosts.ts";
import type { Ids } from "../../ports/ids.ts";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import type { Transactor } from "../../ports/transactor.ts";

/** The ports of the use cases of pull requests. */
export interface PullRequestPorts {
  readonly transactor: Transactor;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly providers: SecretProviders;
  readonly codeStores: CodeStores;
  readonly gitHosts: GitHosts;
}
