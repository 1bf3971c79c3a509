const arn = /^arn:[a-z-]+:secretsmanager:([a-z0-9-]+):(\d{12}):secret:(.+)$/;
const nameShape = /^[A-Za-z0-9/_+=.@-]{1,512}$/;
/** What the provider puts behind the name in the ARN of a secret. */
const suffix = /-[A-Za-z0-9]{6}$/;

/** The region that a reference names; null where it is a name alone. */
export const regionOf = (reference: string): string | null => arn.exec(reference)?.[1] ?? null;

/**
 * A secret is named by its name, or by its ARN, which ends in the name and six characters. Both come down to the name;
 * null where it is neither.
 */
export const canonicalName = (reference: string): string | null => {
  const inArn = arn.exec(reference)?.[3];
  const name = inArn === undefined ? reference : inArn.replace(suffix, "");
  return nameShape.test(name) ? name : null;
};

/** Every name that the provider could take the reference for: it takes an ARN without its last six characters too. */
export const namesOf = (reference: string): readonly string[] => {
  const inArn = arn.exec(reference)?.[3];
  return inArn === undefined ? [reference] : [inArn, inArn.replace(suffix, "")];
};
