import type { MasterKeys, SecretProviders } from "../../ports/secret-provider.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
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
export const secrets = (context: UseCaseContext, providers: SecretProviders, masterKeys: MasterKeys) => ({
  create: createSecret(context, providers),
  rotate: rotateSecret(context, providers),
  update: updateSecret(context),
  changeVersion: changeVersion(context),
  delete: deleteSecret(context),
  previewImport: previewImport(context, providers),
  import: importSecrets(context, providers),
  /** Reads the values of an agent's bindings just before a run. */
  resolve: resolveBindings(context, providers),
  providersHealth: providersHealth(providers),
  rotateMasterKey: masterKeys.rotate,
  masterKeyFingerprint: masterKeys.fingerprint,
});

export type Secrets = ReturnType<typeof secrets>;
