/** Where values are kept. */
export const providers = [
  "local_encrypted",
  "cloud_a_secrets_manager",
  "cloud_b_secret_manager",
  "external_vault",
] as const;
export type ProviderId = (typeof providers)[number];

/** Those whose runtime has not shipped: drafts of their vaults can be kept, nothing more. */
export const isComingSoon = (provider: ProviderId): boolean =>
  provider === "cloud_b_secret_manager" || provider === "external_vault";
