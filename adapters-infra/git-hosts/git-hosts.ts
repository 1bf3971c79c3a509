import * as Effect from "effect/Effect";
import type { HostKind } from "../../core/model/repositories/repository.ts";
import { HostUnusable } from "../../ports/code-stores.ts";
import type { GitHosts, KnownHost } from "../../ports/git-hosts.ts";
import { gitea } from "./gitea.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { type CachedAnswers, type CheckAddress, HostApi } from "./host-api.ts";
import type { HostModule } from "./host-module.ts";

const modules: Readonly<Record<HostKind, HostModule>> = { github, gitlab, gitea, forgejo: gitea };

/** Pull requests at hosts over HTTP. */
export const gitHosts = (checkAddress: CheckAddress): GitHosts => {
  const cached: CachedAnswers = new Map();
  const opened = (host: KnownHost) => {
    const of = modules[host.kind];
    const url = new URL(host.url.replace(/\.git\/?$/, "").replace(/\/$/, ""));
    const path = url.pathname
      .split("/")
      .filter((part) => part !== "")
      .map(decoded);
    const api = new HostApi(host, host.apiUrl ?? of.apiOf(url), of.scheme, cached, checkAddress);
    return { of, api, path, repo: of.repositoryOf(path) };
  };
  return {
    check: (host) =>
      attempt(async () => {
        const { api, repo } = opened(host);
        await api.get(repo);
      }),
    open: (host, asked) =>
      attempt(async () => {
        const { of, api, path, repo } = opened(host);
        const find = () => of.find(api, repo, asked, path);
        const found = await find();
        if (found !== null) return found;
        try {
          return await of.create(api, repo, asked);
        } catch (error) {
          // Somebody else was faster, or the answer to an earlier attempt was lost.
          const there = error instanceof HostUnusable && error.reason === "rejected" ? await find() : null;
          if (there === null) throw error;
          return there;
        }
      }),
    poll: (host, number) =>
      attempt(async () => {
        const { of, api, repo } = opened(host);
        return of.poll(api, repo, number);
      }),
  };
};

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, HostUnusable> =>
  Effect.tryPromise({ try: work, catch: (error) => error }).pipe(
    Effect.catch((error) => (error instanceof HostUnusable ? Effect.fail(error) : Effect.die(error))),
  );
