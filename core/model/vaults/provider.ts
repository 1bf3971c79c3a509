/** The secret providers. */
export const providers = [
  "local_encrypted",
  "cloud_a_secrets_manager",
  "cloud_b_secret_manager",
  "external_vault",
] as const;
export type ProviderId = (typeof providers)[number];

/** Providers without a runtime yet: their vaults can only be stored as drafts. */
export const isComingSoon = (provider: ProviderId): boolean =>
  provider === "cloud_b_secret_manager" || provider === "external_vault";

/** Providers whose secrets can be listed, and so imported. */
export const listsSecrets = (provider: ProviderId): boolean => provider === "cloud_a_secrets_manager";
