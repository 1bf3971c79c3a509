const arn = /^arn:[a-z-]+:secretsmanager:([a-z0-9-]+):(\d{12}):secret:(.+)$/;
const nameShape = /^[A-Za-z0-9/_+=.@-]{1,512}$/;
/** The suffix that the provider adds to the name in the ARN of a secret. */
const suffix = /-[A-Za-z0-9]{6}$/;

/** Returns the region of a reference; null where it is a name alone. */
export const regionOf = (reference: string): string | null => arn.exec(reference)?.[1] ?? null;

/**
 * Reduces a secret's name or ARN to the name; an ARN ends in the name and six characters. Returns null for anything
 * else.
 */
export const canonicalName = (reference: string): string | null => {
  const inArn = arn.exec(reference)?.[3];
  const name = inArn === undefined ? reference : inArn.replace(suffix, "");
  return nameShape.test(name) ? name : null;
};

/**
 * Returns every name that the provider could read in the reference: it accepts an ARN without its last six characters
 * too.
 */
export const namesOf = (reference: string): readonly string[] => {
  const inArn = arn.exec(reference)?.[3];
  return inArn === undefined ? [reference] : [inArn, inArn.replace(suffix, "")];
};
