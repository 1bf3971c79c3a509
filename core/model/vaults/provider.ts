/** The secret providers. */
export const providers = [
  "local_encrypted",
  "cloud_a_secrets_manager",
  "cloud_b_secret_manager",
  "external_vault",
] as const;
export type ProviderId = (typeof providers)[number];

/** Providers whose secrets can be listed, and so imported, where this installation has their runtime. */
export const listsSecrets = (provider: ProviderId): boolean =>
  provider === "cloud_a_secrets_manager" || provider === "external_vault";
