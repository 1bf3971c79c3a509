import { join } from "node:path";
import * as Effect from "effect/Effect";
import { loadMasterKey } from "../../adapters-infra/local/master-key.ts";
import type { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { expectedFingerprint, recordFingerprint } from "../../adapters-infra/postgres/key-fingerprint.ts";
import type { Config } from "./config.ts";
import { asStartFailed, StartFailed } from "./start-failed.ts";

/** Loads the master key that the database names, and writes nothing to it. */
export const readKeyRing = Effect.fnUntraced(function* (
  config: Config,
  sql: ReturnType<typeof openDatabase>,
) {
  return yield* asStartFailed(
    loadMasterKey({
      fromEnvironment: config.masterKey,
      nextFromEnvironment: config.nextMasterKey,
      path: join(config.dataDir, "master.key"),
      expected: yield* expectedFingerprint(sql),
    }),
  );
});

/** Loads the master key that the database names. A fresh database stores the name of this one. */
export const openKeyRing = Effect.fnUntraced(function* (
  config: Config,
  sql: ReturnType<typeof openDatabase>,
) {
  const keyRing = yield* readKeyRing(config, sql);
  if (!(yield* recordFingerprint(sql, keyRing.current.fingerprint)))
    return yield* new StartFailed({
      message:
        "Another service began this database with another master key at the same moment. Services that share a database share the key: set SERVICE_SECRETS_MASTER_KEY.",
    });
  return keyRing;
});
