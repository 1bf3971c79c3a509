import * as Effect from "effect/Effect";
import { ProviderInvalidRequest } from "../../core/model/secrets/provider-failure.ts";
import type { ProviderId } from "../../core/model/vaults/provider.ts";
import { healthWithoutProbe } from "../../core/model/vaults/vault.ts";
import type { SecretProvider } from "../../ports/secret-provider.ts";
import { fingerprintOf } from "./reference-fingerprint.ts";

/** A provider without a runtime: stores drafts of its vaults and accepts or returns no values. */
export const comingSoon = (id: ProviderId): SecretProvider => {
  const locked = Effect.suspend(() =>
    Effect.fail(new ProviderInvalidRequest({ provider: id, reason: "runtime_locked" })),
  );
  return {
    id,
    isLocked: true,
    linksReferences: false,
    keep: () => locked,
    read: () => locked,
    list: () => locked,
    describe: () => locked,
    canonical: () => null,
    manages: () => false,
    namesOf: () => [],
    fingerprint: fingerprintOf(id),
    probe: () => Effect.succeed(healthWithoutProbe({ status: "coming_soon" }, true)!),
    diagnose: () =>
      Effect.succeed({
        provider: id,
        status: "warn",
        message: "This provider isn't available yet.",
        warnings: ["You can draft its vaults, but not store values in them."],
        backupGuidance: [],
        details: { code: "runtime_locked" },
      }),
  };
};
