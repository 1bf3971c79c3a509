import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { MasterKeys, SecretProviders } from "../../ports/secret-provider.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { changeVersion } from "./change-version.ts";
import { createSecret } from "./create-secret.ts";
import { deleteSecret } from "./delete-secret.ts";
import { importSecrets } from "./import-secrets.ts";
import { previewImport } from "./preview-import.ts";
import { providersHealth } from "./providers-health.ts";
import { resolveBindings } from "./resolve-bindings.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { updateSecret } from "./update-secret.ts";

/** The use cases of secrets. */
export const secrets = (
  transactor: Transactor,
  clock: Clock,
  ids: Ids,
  providers: SecretProviders,
  masterKeys: MasterKeys,
) => ({
  create: createSecret(transactor, clock, ids, providers),
  rotate: rotateSecret(transactor, clock, providers),
  update: updateSecret(transactor, clock),
  changeVersion: changeVersion(transactor, clock),
  delete: deleteSecret(transactor, clock),
  previewImport: previewImport(transactor, clock, providers),
  import: importSecrets(transactor, clock, ids, providers),
  /** Reads the values of an agent's bindings just before a run. */
  resolve: resolveBindings(transactor, clock, providers),
  providersHealth: providersHealth(providers),
  rotateMasterKey: masterKeys.rotate,
  masterKeyFingerprint: masterKeys.fingerprint,
});

export type Secrets = ReturnType<typeof secrets>;
