import type { AnswerOf } from "../../live/calls.ts";

type Provider = AnswerOf<"vaults.list">[number]["provider"];

/** The names of the providers for people. */
export const providerNames: Readonly<Record<Provider, string>> = {
  local_encrypted: "Encrypted on this machine",
  cloud_a_secrets_manager: "Cloud A Secrets Manager",
  cloud_b_secret_manager: "Cloud B Secret Manager",
  external_vault: "External vault",
};

export const providerOptions = Object.entries(providerNames).map(([value, label]) => ({
  value: value as Provider,
  label,
}));
