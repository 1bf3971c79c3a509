import * as Effect from "effect/Effect";
import { transactAsSystem, type UseCaseContext } from "../../access/unit-of-work.ts";
import { AuthorizationNotValid } from "../../model/access/assistant.ts";
import { fieldsOf, requestOfClient, soundRequest } from "../../model/access/authorization-request.ts";
import { type ClientMetadata, destinationOf, isDocumentAddress } from "../../model/access/client-metadata.ts";
import { isUuid } from "../../model/shared/ids.ts";
import type { AssistantIo } from "./assistant-io.ts";

const unknownClient = () =>
  new AuthorizationNotValid(
    undefined,
    "This service doesn't know the assistant. Remove the connection in the assistant, and add it again.",
  );

const clientNamed = (context: UseCaseContext, { documents }: AssistantIo, clientId: string) =>
  Effect.gen(function* () {
    if (isDocumentAddress(clientId)) return (yield* documents.read(clientId)) as ClientMetadata;
    if (!isUuid(clientId)) return yield* Effect.fail(unknownClient());
    const found = yield* transactAsSystem(context, "access.findClient", function* (unit) {
      return yield* unit.assistants.findClient(clientId);
    });
    return found === null ? yield* Effect.fail(unknownClient()) : found;
  });

/** The client of a request to authorize, where its person goes back to, and what it asks for or does wrong. */
export const clientOfRequest = (context: UseCaseContext, io: AssistantIo, query: string) =>
  Effect.gen(function* () {
    const fields = fieldsOf(query);
    if (fields === null) return yield* Effect.fail(new AuthorizationNotValid());
    const clientId = fields.get("client_id") ?? "";
    const client = yield* clientNamed(context, io, clientId);
    const address = io.address();
    const request = yield* Effect.fromResult(requestOfClient(fields, client, address));
    const host = destinationOf(request.redirectUri);
    return {
      /** Without a name it is known by where the person goes. */
      name: client.name || host,
      host,
      /** The site that vouches for the client; null: it has registered itself, under any name. */
      site: isDocumentAddress(clientId) ? new URL(clientId).host : null,
      request,
      sound: soundRequest(fields, request, address),
    };
  });
