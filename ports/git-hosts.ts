import type * as Effect from "effect/Effect";
import type {
  PolledPullRequest,
  PullRequestAtHost,
} from "../core/model/repositories/pull-request-at-host.ts";
import type { HostKind } from "../core/model/repositories/repository.ts";
import type { HostedRepository, HostUnusable } from "./code-stores.ts";

/** A repository at a host whose interface the service knows. */
export interface KnownHost extends HostedRepository {
  readonly kind: HostKind;
  /** Where its interface is; null: where hosts of that kind have it. */
  readonly apiUrl: string | null;
}

export interface AskedPullRequest {
  /** Of the repository itself. */
  readonly branch: string;
  readonly into: string;
  readonly title: string;
  readonly body: string;
}

/**
 * Pull requests at the hosts of repositories. Every call goes to the host's address alone, with time and size limits; a
 * host that refuses, or that does not answer, is `HostUnusable` with a sentence for people.
 */
export interface GitHosts {
  /** Whether the interface answers, and the credential sees the repository. */
  check(host: KnownHost): Effect.Effect<void, HostUnusable>;
  /** Opens one, or returns the open one of the same branches. */
  open(host: KnownHost, asked: AskedPullRequest): Effect.Effect<PullRequestAtHost, HostUnusable>;
  poll(host: KnownHost, number: number): Effect.Effect<PolledPullRequest, HostUnusable>;
}
