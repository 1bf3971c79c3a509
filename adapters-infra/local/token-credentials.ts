import { createHmac, hash, randomBytes } from "node:crypto";
import * as Effect from "effect/Effect";
import { jwtVerify, SignJWT } from "jose";
import type { AgentId, CompanyId, RunId } from "../../core/shared/ids.ts";
import { isUuid } from "../../core/shared/ids.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { KeySource } from "./master-key.ts";

const sha256 = (text: string): Uint8Array => hash("sha256", text, "buffer");

/** Random tokens, stored as a hash only, and signed tokens for runs. */
export const tokenCredentials = (keys: KeySource): Credentials => {
  const signingKey = keys.derive("run tokens");
  const csrfKey = keys.derive("csrf tokens");
  const fingerprintKey = keys.derive("request fingerprints");
  return {
    mint: (prefix) => {
      const text = `${prefix}_${randomBytes(24).toString("hex")}`;
      return { text, hash: sha256(text) };
    },
    mintCode: () => {
      const text = randomBytes(32).toString("base64url");
      return { text, hash: sha256(text) };
    },
    hash: sha256,
    csrfTokenOf: (sessionId) => `csrf_${createHmac("sha256", csrfKey).update(sessionId).digest("hex")}`,
    mintRunToken: ({ agentId, companyId, runId }, ttlSec) =>
      Effect.promise(() =>
        new SignJWT({ company_id: companyId, run_id: runId })
          .setProtectedHeader({ alg: "HS256", typ: "JWT" })
          .setSubject(agentId)
          .setIssuedAt()
          .setExpirationTime(Math.floor(Date.now() / 1000) + ttlSec)
          .sign(signingKey),
      ),
    readRunToken: (token) =>
      Effect.promise(async () => {
        try {
          const { payload } = await jwtVerify(token, signingKey, {
            algorithms: ["HS256"],
            requiredClaims: ["exp"],
          });
          const { sub, company_id: companyId, run_id: runId } = payload;
          if (![sub, companyId, runId].every((id) => typeof id === "string" && isUuid(id))) return null;
          return { agentId: sub as AgentId, companyId: companyId as CompanyId, runId: runId as RunId };
        } catch {
          return null;
        }
      }),
    fingerprint: (parts) => {
      const digest = createHmac("sha256", fingerprintKey);
      // Each part carries its length, so that no two lists of parts encode the same.
      for (const part of parts) {
        const bytes = typeof part === "string" ? Buffer.from(part) : part;
        digest.update(`${bytes.length}:`).update(bytes);
      }
      return digest.digest();
    },
  };
};
