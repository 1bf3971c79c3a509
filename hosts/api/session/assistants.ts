import { z } from "zod";
import {
  AssistantNeedsSession,
  AssistantNotFound,
  AuthorizationNotValid,
  TooManyAssistants,
} from "../../../core/model/access/assistant.ts";
import { assistantScopes } from "../../../core/model/access/assistant-scope.ts";
import { boardOnly, verified } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { Done, upTo } from "../endpoint/values.ts";
import { AssistantShape } from "./session-shapes.ts";

const Request = upTo(12_000)
  .min(1)
  .describe(
    "The query of the address at which the assistant has opened the page, without the question mark.",
  );

const Scopes = z.array(z.enum(assistantScopes));

/** Programs that act for a person by `/mcp`, such as Claude and ChatGPT: the person's side of OAuth. */
export const assistants = {
  list: endpoint({
    method: "GET",
    path: "/api/assistants",
    summary: "List the assistants that act for you",
    description:
      "Programs that you allowed to act with your rights by `/mcp`, oldest first, 50 at most. Nobody else sees them. One that isn't used for 30 days is disconnected.",
    access: boardOnly,
    returns: z.array(AssistantShape).readonly(),
    run: ({ views, clock }, _, { caller }) => views.access.assistants(caller.userId, clock.now()),
  }),
  check: endpoint({
    method: "POST",
    path: "/api/assistants/requests",
    summary: "Show which assistant asks to act for you",
    description:
      "Changes nothing. If `problem` is null, show the person who asks and for what, and let them choose. The assistant's name is its own claim.",
    access: boardOnly,
    body: z.strictObject({ request: Request }),
    returns: z.object({
      name: z.string(),
      host: z.string().describe("Where you go back to: a host, or the scheme of an app."),
      site: z
        .string()
        .nullable()
        .describe("The site that describes the assistant; null: it registered itself, under any name."),
      scopes: Scopes.readonly().describe("What it asks for."),
      problem: z.string().nullable().describe("What is wrong with the request."),
      returnUrl: z.string().describe("Goes back to the assistant and refuses."),
    }),
    failures: [AuthorizationNotValid],
    run: ({ assistants }, input) => assistants.checkAuthorization(input),
  }),
  allow: endpoint({
    method: "POST",
    path: "/api/assistants",
    summary: "Let an assistant act for you",
    description:
      "For web sessions. Send the browser to `redirectUrl`: it takes the assistant its code, which is valid for a minute. If you have a passkey, verify with it first.",
    access: verified(boardOnly),
    body: z.strictObject({
      request: Request,
      scopes: Scopes.min(1).describe("What you allow: some of the scopes that it asks for."),
    }),
    returns: z.object({ redirectUrl: z.string() }),
    status: 201,
    failures: [AuthorizationNotValid, AssistantNeedsSession, TooManyAssistants],
    run: ({ assistants }, input, { caller }) => assistants.allow({ ...input, caller }),
  }),
  disconnect: endpoint({
    method: "DELETE",
    path: "/api/assistants/{assistantId}",
    summary: "Disconnect an assistant of yours",
    description: "Its tokens are invalid from then on. It can ask again.",
    access: boardOnly,
    returns: Done,
    failures: [AssistantNotFound],
    run: ({ assistants }, { assistantId }, { caller }) => assistants.disconnect({ assistantId, caller }),
  }),
};
