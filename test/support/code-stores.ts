import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as Result from "effect/Result";
import { gitStores } from "../../adapters-infra/git/git-stores.ts";
import { takeExclusiveLock } from "../../adapters-infra/local/exclusive-lock.ts";
import { ownFolder } from "../../adapters-infra/local/own-folder.ts";
import { detectSandbox } from "../../adapters-infra/sandbox/detect.ts";
import { programViews } from "../../adapters-infra/sandbox/program-view.ts";
import type { CompanyId, RepositoryId } from "../../core/model/shared/ids.ts";
import type { HostedRepository } from "../../ports/code-stores.ts";
import type { GitHost } from "./git-host.ts";

/** Opens stores in a folder of the test, enclosed as the service does it. */
export const openCodeStores = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "code-stores-"));
  const views = programViews({ dataDir, shared: [], listed: [], commands: [] });
  const { sandbox, users, separation } = await detectSandbox({
    mode: "auto",
    dataDir,
    configuredUsers: null,
    views,
    limits: { processes: 4_096, openFiles: 4_096, fileBytes: 16 * 1024 ** 3, tmpBytes: 1024 ** 3 },
  });
  if (sandbox === null) throw new Error(`Git needs bubblewrap: ${separation.gaps.join(" ")}`);
  const folder = join(dataDir, "repositories");
  const stores = gitStores({
    folder,
    git: "/usr/bin/git",
    sandbox,
    user: users === null ? null : { uid: users.first, gid: users.gid },
    takeLock: takeExclusiveLock,
    ownFolder,
  });
  return {
    stores,
    folder,
    dataDir,
    sandbox,
    users,
    views,
    close: () => rmSync(dataDir, { recursive: true, force: true }),
  };
};

/** The repository of a host, with its credential. */
export const hostedBy = (host: GitHost, change: Partial<HostedRepository> = {}): HostedRepository => ({
  companyId: randomUUID() as CompanyId,
  repositoryId: randomUUID() as RepositoryId,
  url: host.url,
  allowPrivateHost: true,
  credential: host.token === null ? null : Redacted.make(host.token),
  ...change,
});

/** The outcome of an effect, its failure included. */
export const outcomeOf = <A, E>(effect: Effect.Effect<A, E>): Promise<A | E> =>
  Effect.runPromise(
    Effect.map(Effect.result(effect), (result) =>
      Result.isSuccess(result) ? result.success : result.failure,
    ),
  );
