import * as Effect from "effect/Effect";
import { transactAsSystem, type UnitOfWork, type UseCaseContext } from "../../access/unit-of-work.ts";
import { GrantNotValid, ResourceNotOurs } from "../../model/access/assistant.ts";
import { issuerOfResource } from "../../model/access/authorization-request.ts";
import type { AssistantIo } from "./assistant-io.ts";
import { endAssistant } from "./end-assistant.ts";
import { mintTokens } from "./mint-tokens.ts";

export interface ExchangeCode {
  readonly code: string;
  readonly clientId: string;
  /** Null: not sent, as OAuth 2.1 has it. */
  readonly redirectUri: string | null;
  readonly verifier: string;
  readonly resource: string | null;
}

/**
 * Exchanges a code for tokens. A code works once: a second use ends what the first has begun, and so does an exchange by
 * somebody who can't show what belongs to it.
 */
export const exchangeCode = (context: UseCaseContext, io: AssistantIo) => (command: ExchangeCode) =>
  Effect.gen(function* () {
    const { resource } = command;
    if (resource !== null && issuerOfResource(io.address(), resource) === null)
      return yield* Effect.fail(new ResourceNotOurs());
    // Refuses after the commit: what a wrong exchange ends, stays ended.
    const tokens = yield* transactAsSystem(context, "access.exchangeCode", (unit) =>
      exchange(unit, io, command),
    );
    return tokens === null ? yield* Effect.fail(new GrantNotValid()) : tokens;
  });

function* exchange(unit: UnitOfWork, { credentials }: AssistantIo, command: ExchangeCode) {
  const { clientId, redirectUri, verifier } = command;
  const code = yield* unit.assistants.lockCode(credentials.hash(command.code));
  if (code === null) return null;
  const { assistant, usedAt, challenge, expiresAt } = code;
  const shown = Buffer.from(credentials.hash(verifier)).toString("base64url");
  const isTheirs =
    assistant.clientId === clientId &&
    (redirectUri === null || redirectUri === code.redirectUri) &&
    shown === challenge;
  if (usedAt !== null || !isTheirs || expiresAt <= unit.at) {
    yield* endAssistant(unit, assistant, usedAt !== null);
    return null;
  }
  yield* unit.assistants.recordCodeUse(assistant.id, unit.at);
  return yield* mintTokens(unit, credentials, assistant, assistant.scopes);
}
