import type { Credentials } from "../../../ports/credentials.ts";
import { systemUseCase } from "../../access/unit-of-work.ts";
import { endAssistant } from "./end-assistant.ts";

export interface RevokeAssistantToken {
  readonly token: string;
  readonly clientId: string;
}

/** Revokes a token of a client; with a refresh token its assistant ends. Any other token is no concern of the client. */
export const revokeAssistantToken = (credentials: Credentials) =>
  systemUseCase("access.revokeAssistantToken", function* (unit, command: RevokeAssistantToken) {
    const token = yield* unit.assistants.lockToken(credentials.hash(command.token));
    if (token === null || token.assistant.clientId !== command.clientId) return;
    if (token.kind === "refresh") yield* endAssistant(unit, token.assistant, false);
    else yield* unit.assistants.deleteToken(token.hash);
  });
