import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { allowAssistant } from "./allow-assistant.ts";
import type { AssistantIo } from "./assistant-io.ts";
import { checkAuthorization } from "./check-authorization.ts";
import { disconnectAssistant } from "./disconnect-assistant.ts";
import { exchangeCode } from "./exchange-code.ts";
import { refreshTokens } from "./refresh-tokens.ts";
import { registerClient } from "./register-client.ts";
import { revokeAssistantToken } from "./revoke-assistant-token.ts";

/** The use cases of assistants: programs that people let act for them. */
export const assistants = (context: UseCaseContext & AssistantIo) => ({
  checkAuthorization: checkAuthorization(context, context),
  allow: allowAssistant(context, context),
  disconnect: disconnectAssistant(context),
  registerClient: registerClient(context),
  exchangeCode: exchangeCode(context, context),
  refreshTokens: refreshTokens(context, context),
  revokeToken: revokeAssistantToken(context.credentials)(context),
});

export type Assistants = ReturnType<typeof assistants>;
