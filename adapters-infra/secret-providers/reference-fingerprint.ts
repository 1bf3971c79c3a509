import { createHash } from "node:crypto";
import type { ProviderId } from "../../core/model/vaults/provider.ts";

export const fingerprintOf =
  (provider: ProviderId) =>
  (reference: string, versionRef: string | null): string =>
    createHash("sha256")
      .update(JSON.stringify([provider, reference, versionRef]))
      .digest("hex");
