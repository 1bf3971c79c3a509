import type { SecretProvider } from "../../ports/secret-provider.ts";
import { cloudAClient } from "./cloud-a-client.ts";
import { cloudAHealth } from "./cloud-a-health.ts";
import { cloudAInventory } from "./cloud-a-inventory.ts";
import { canonicalName, namesOf, regionOf } from "./cloud-a-reference.ts";
import { type CloudADeployment, cloudAId, settingsOf } from "./cloud-a-settings.ts";
import { cloudAValues } from "./cloud-a-values.ts";
import { fingerprintOf } from "./reference-fingerprint.ts";

/** AWS Secrets Manager through its SDK. */
export const cloudA = (deployment: CloudADeployment): SecretProvider => {
  const ask = cloudAClient(deployment);
  return {
    id: cloudAId,
    linksReferences: true,
    ...cloudAValues(deployment, ask),
    ...cloudAInventory(ask),
    ...cloudAHealth(deployment, ask),
    canonical: (scope, reference) => {
      const region = regionOf(reference);
      const own = settingsOf(deployment, scope).region;
      return region !== null && own !== null && region !== own ? null : canonicalName(reference);
    },
    manages: (scope, reference) => {
      const roots = [settingsOf(deployment, scope).managedRoot, deployment.prefix];
      return namesOf(reference).some((name) =>
        roots.some((root) => name === root || name.startsWith(`${root}/`)),
      );
    },
    namesOf,
    fingerprint: fingerprintOf(cloudAId),
  };
};
