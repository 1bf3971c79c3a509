import { join } from "node:path";
import { rotatingMasterKey } from "../../../adapters-infra/local/rotating-master-key.ts";
import { secretProviders } from "../../../adapters-infra/secret-providers/index.ts";
import type { Bind, Foundations } from "./foundations.ts";
import { T } from "./tokens.ts";

export const bindSecretProviders = (bind: Bind, { config, storage }: Foundations): void => {
  bind(T.masterKeys).toResolvedValue(rotatingMasterKey, [T.keyRing, T.transactor]);
  bind(T.secretProviders).toResolvedValue(
    (masterKeys, cipher) =>
      secretProviders({
        default: config.secretProvider,
        local: {
          transactor: storage.transactor,
          cipher,
          keyFile: config.masterKey === null ? join(config.dataDir, "master.key") : null,
          masterKeys,
        },
        cloudA: config.cloudA,
        externalVault: config.externalVault,
      }),
    [T.masterKeys, T.cipher],
  );
};
