import * as Effect from "effect/Effect";
import { transactAsSystem, type UseCaseContext } from "../../access/unit-of-work.ts";
import { mostUnusedClients } from "../../model/access/assistant.ts";
import { clientMetadataOf } from "../../model/access/client-metadata.ts";

export interface RegisterClient {
  /** As the client describes itself. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Registers a client. It gets no secret, and no rights until a person allows it to act for them. */
export const registerClient =
  (context: UseCaseContext) =>
  ({ metadata }: RegisterClient) =>
    Effect.gen(function* () {
      const client = yield* Effect.fromResult(clientMetadataOf(metadata));
      return yield* transactAsSystem(context, "access.registerClient", function* (unit) {
        const registered = { ...client, id: unit.newId(), createdAt: unit.at };
        yield* unit.assistants.insertClient(registered, mostUnusedClients);
        return registered;
      });
    });
