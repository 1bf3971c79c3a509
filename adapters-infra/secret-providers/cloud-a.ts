import type { SecretProvider } from "../../ports/secret-provider.ts";
import { cloudAClient } from "./cloud-a-client.ts";
import { cloudAHealth } from "./cloud-a-health.ts";
import { cloudAInventory } from "./cloud-a-inventory.ts";
import { type CloudADeployment, cloudAId, settingsOf } from "./cloud-a-settings.ts";
import { cloudAValues } from "./cloud-a-values.ts";
import { fingerprintOf } from "./reference-fingerprint.ts";

/** AWS Secrets Manager through its SDK. */
export const cloudA = (deployment: CloudADeployment): SecretProvider => {
  const ask = cloudAClient(deployment);
  return {
    id: cloudAId,
    isLocked: false,
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

const arn = /^arn:[a-z-]+:secretsmanager:([a-z0-9-]+):(\d{12}):secret:(.+)$/;
const nameShape = /^[A-Za-z0-9/_+=.@-]{1,512}$/;
/** The suffix that the provider adds to the name in the ARN of a secret. */
const suffix = /-[A-Za-z0-9]{6}$/;

/** Returns the region of a reference; null where it is a name alone. */
const regionOf = (reference: string): string | null => arn.exec(reference)?.[1] ?? null;

/**
 * Reduces a secret's name or ARN to the name; an ARN ends in the name and six characters. Returns null for anything
 * else.
 */
const canonicalName = (reference: string): string | null => {
  const inArn = arn.exec(reference)?.[3];
  const name = inArn === undefined ? reference : inArn.replace(suffix, "");
  return nameShape.test(name) ? name : null;
};

/**
 * Returns every name that the provider could read in the reference: it accepts an ARN without its last six characters
 * too.
 */
const namesOf = (reference: string): readonly string[] => {
  const inArn = arn.exec(reference)?.[3];
  return inArn === undefined ? [reference] : [inArn, inArn.replace(suffix, "")];
};
