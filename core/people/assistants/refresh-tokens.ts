import * as Effect from "effect/Effect";
import { transactAsSystem, type UnitOfWork, type UseCaseContext } from "../../access/unit-of-work.ts";
import { GrantNotValid, ResourceNotOurs, ScopeNotGranted } from "../../model/access/assistant.ts";
import { issuerOfResource, scopesIn } from "../../model/access/authorization-request.ts";
import type { AssistantIo } from "./assistant-io.ts";
import { endAssistant } from "./end-assistant.ts";
import { mintTokens } from "./mint-tokens.ts";

export interface RefreshTokens {
  readonly refreshToken: string;
  readonly clientId: string;
  /** Null: those that were granted. */
  readonly scope: string | null;
  readonly resource: string | null;
}

/** Exchanges a refresh token for new tokens. It works once: a second use ends the assistant, because two have the token. */
export const refreshTokens = (context: UseCaseContext, io: AssistantIo) => (command: RefreshTokens) =>
  Effect.gen(function* () {
    const { resource } = command;
    if (resource !== null && issuerOfResource(io.address(), resource) === null)
      return yield* Effect.fail(new ResourceNotOurs());
    // Refuses after the commit: what a second use ends, stays ended.
    const tokens = yield* transactAsSystem(context, "access.refreshTokens", (unit) =>
      refresh(unit, io, command),
    );
    return tokens === null ? yield* Effect.fail(new GrantNotValid()) : tokens;
  });

function* refresh(unit: UnitOfWork, { credentials }: AssistantIo, command: RefreshTokens) {
  const token = yield* unit.assistants.lockToken(credentials.hash(command.refreshToken));
  if (token === null || token.kind !== "refresh" || token.assistant.clientId !== command.clientId)
    return null;
  const { assistant } = token;
  if (token.usedAt !== null) {
    yield* endAssistant(unit, assistant, true);
    return null;
  }
  if (token.expiresAt <= unit.at) return null;
  const scopes = command.scope === null ? assistant.scopes : scopesIn(command.scope);
  if (scopes === null || !scopes.every((scope) => assistant.scopes.includes(scope)))
    return yield* Effect.fail(new ScopeNotGranted());
  yield* unit.assistants.recordTokenUse(token.hash, unit.at);
  return yield* mintTokens(unit, credentials, assistant, scopes);
}
