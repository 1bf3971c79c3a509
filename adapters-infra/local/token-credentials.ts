import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import * as Effect from "effect/Effect";
import { type JWTPayload, jwtVerify, SignJWT } from "jose";
import type { UnsubscribeScope } from "../../core/model/notices/unsubscribe.ts";
import type { AgentId, CompanyId, RepositoryId, RunId, UserId } from "../../core/model/shared/ids.ts";
import { isUuid } from "../../core/model/shared/ids.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { KeySource } from "./master-key.ts";

const sha256 = (text: string): Uint8Array => hash("sha256", text, "buffer");

const areUuids = (ids: readonly unknown[]): boolean =>
  ids.every((id) => typeof id === "string" && isUuid(id));

const signed = (key: Uint8Array, claims: JWTPayload, ttlSec: number): Effect.Effect<string> =>
  Effect.promise(() =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuedAt()
      .setExpirationTime(Math.floor(Date.now() / 1000) + ttlSec)
      .sign(key),
  );

const claimsIn = <A>(key: Uint8Array, token: string, read: (payload: JWTPayload) => A | null) =>
  Effect.promise(async () => {
    try {
      const { payload } = await jwtVerify(token, key, { algorithms: ["HS256"], requiredClaims: ["exp"] });
      return read(payload);
    } catch {
      return null;
    }
  });

/** Random tokens, stored as a hash only, and signed tokens for runs. */
export const tokenCredentials = (keys: KeySource): Credentials => {
  const signingKey = keys.derive("run tokens");
  const keepingKey = keys.derive("keep tokens");
  const checkoutKey = keys.derive("checkout tokens");
  const flowKey = keys.derive("sign-in flows");
  const csrfKey = keys.derive("csrf tokens");
  const unsubscribeKey = keys.derive("unsubscribe tokens");
  const unsubscribeProof = (claims: string) => createHmac("sha256", unsubscribeKey).update(claims).digest();
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
      signed(signingKey, { company_id: companyId, run_id: runId, sub: agentId }, ttlSec),
    readRunToken: (token) =>
      claimsIn(signingKey, token, ({ sub, company_id: companyId, run_id: runId }) =>
        areUuids([sub, companyId, runId])
          ? { agentId: sub as AgentId, companyId: companyId as CompanyId, runId: runId as RunId }
          : null,
      ),
    mintCaptureToken: ({ companyId, runId, pushesBefore }, ttlSec) =>
      signed(keepingKey, { company_id: companyId, run_id: runId, pushes_before: pushesBefore }, ttlSec),
    readCaptureToken: (token) =>
      claimsIn(keepingKey, token, ({ company_id: companyId, run_id: runId, pushes_before: pushesBefore }) =>
        areUuids([companyId, runId]) && typeof pushesBefore === "number"
          ? { companyId: companyId as CompanyId, runId: runId as RunId, pushesBefore }
          : null,
      ),
    mintCheckoutToken: ({ companyId, repositoryId }, ttlSec) =>
      signed(checkoutKey, { company_id: companyId, repository_id: repositoryId }, ttlSec),
    readCheckoutToken: (token) =>
      claimsIn(checkoutKey, token, ({ company_id: companyId, repository_id: repositoryId }) =>
        areUuids([companyId, repositoryId])
          ? { companyId: companyId as CompanyId, repositoryId: repositoryId as RepositoryId }
          : null,
      ),
    mintFlow: (provider, ttlSec) =>
      signed(flowKey, { provider, jti: randomBytes(16).toString("base64url") }, ttlSec),
    readFlow: (flow) =>
      claimsIn(flowKey, flow, ({ provider }) => (typeof provider === "string" ? provider : null)),
    mintUnsubscribeToken: ({ userId, scope }) => {
      const claims = `${userId}.${scope}`;
      return `${claims}.${unsubscribeProof(claims).toString("base64url")}`;
    },
    readUnsubscribeToken: (token) => {
      const [userId = "", scope = "", proof = "", more] = token.split(".");
      const given = Buffer.from(proof, "base64url");
      const expected = unsubscribeProof(`${userId}.${scope}`);
      if (more !== undefined || given.length !== expected.length || !timingSafeEqual(given, expected))
        return null;
      return { userId: userId as UserId, scope: scope as UnsubscribeScope };
    },
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
