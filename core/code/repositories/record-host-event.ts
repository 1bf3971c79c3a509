import * as Effect from "effect/Effect";
import type { WebhookSigning } from "../../../ports/webhook-signing.ts";
import { Unauthenticated } from "../../model/access/caller.ts";
import { bodySignature } from "../../model/routines/webhook-request.ts";
import type { RepositoryId } from "../../model/shared/ids.ts";
import { secretOf } from "./credential-of.ts";
import type { FetchPorts } from "./fetch-repository.ts";

export interface RecordHostEvent {
  readonly repositoryId: RepositoryId;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Read only where the headers could be of the host. */
  readonly body: Effect.Effect<Uint8Array>;
}

/** However often a host calls, each pull request is looked at once in this time. */
const everySec = 5;

/**
 * Takes a call of a host's webhook, signed with the repository's secret, as a reason to poll now. Nothing of its content
 * counts: what is new is read from the host, and passed on once, so that a repeated call changes nothing.
 */
export const recordHostEvent =
  (parts: FetchPorts, signing: WebhookSigning) =>
  ({ repositoryId, headers, body }: RecordHostEvent) =>
    Effect.gen(function* () {
      const refuse = () => new Unauthenticated();
      const repository = yield* parts.transactor
        .transact(({ repositories }) => repositories.find(repositoryId))
        .pipe(Effect.mapError(refuse));
      const { companyId, webhookSecretId } = repository;
      const given =
        headers["x-hub-signature-256"] ?? headers["x-gitea-signature"] ?? headers["x-forgejo-signature"];
      const token = headers["x-gitlab-token"];
      if (webhookSecretId === null || (given === undefined && token === undefined))
        return yield* Effect.fail(refuse());
      const secret = yield* secretOf(parts, companyId, "webhookSecretId", webhookSecretId).pipe(
        Effect.mapError(refuse),
      );
      const isGenuine =
        given === undefined
          ? token !== undefined && signing.isSecret(token, secret)
          : signing.verify(
              {
                ...bodySignature({ encoding: "hex", text: given.replace(/^sha256=/, "") }),
                body: yield* body,
              },
              secret,
            ) !== null;
      if (!isGenuine) return yield* Effect.fail(refuse());
      const polls = yield* parts.transactor.transact(({ pullRequests }) =>
        pullRequests.hurry(repositoryId, parts.clock.now(), everySec),
      );
      return { polls };
    });
