import { randomUUID } from "node:crypto";
import * as Redacted from "effect/Redacted";
import type { SecretProvider } from "../../ports/secret-provider.ts";
import type { AskCloudA } from "./cloud-a-client.ts";
import { type CloudADeployment, settingsOf } from "./cloud-a-settings.ts";

/** Stores and reads values. */
export const cloudAValues = (
  deployment: CloudADeployment,
  ask: AskCloudA,
): Pick<SecretProvider, "keep" | "read"> => ({
  keep: (scope, as, value) =>
    ask(scope, "keep", async (client, sdk, options) => {
      const { managedRoot, kmsKeyId, tags } = settingsOf(deployment, scope);
      const name = `${managedRoot}/${scope.companyId}/${as.key}`;
      // Names the version and makes repeated SDK requests idempotent.
      const token = randomUUID();
      const content = { SecretString: Redacted.value(value), ClientRequestToken: token };
      const put = () => client.send(new sdk.PutSecretValueCommand({ SecretId: name, ...content }), options);
      const create = () =>
        client.send(
          new sdk.CreateSecretCommand({
            Name: name,
            ...content,
            ...(kmsKeyId === null ? {} : { KmsKeyId: kmsKeyId }),
            Tags: tags,
          }),
          options,
        );
      const stored = await (as.version === 1
        ? unless("ResourceExistsException", create, put)
        : // The secret was stored elsewhere: this is its first version here.
          unless("ResourceNotFoundException", put, create));
      return { sealed: null, externalRef: name, providerVersionRef: stored.VersionId ?? null };
    }),
  read: (scope, _of, { externalRef, providerVersionRef }) =>
    ask(scope, "read", async (client, sdk, options) => {
      const answer = await client.send(
        new sdk.GetSecretValueCommand({ SecretId: externalRef ?? "", ...versionOf(providerVersionRef) }),
        options,
      );
      const text =
        answer.SecretString ?? (answer.SecretBinary && Buffer.from(answer.SecretBinary).toString("utf8"));
      if (text === undefined) throw new NoValue();
      return Redacted.make(text);
    }),
});

/** Runs the first, and the second if the first fails with that error. */
const unless = <A>(errorName: string, first: () => Promise<A>, second: () => Promise<A>): Promise<A> =>
  first().catch((error: unknown) =>
    error instanceof Error && error.name === errorName ? second() : Promise.reject(error),
  );

/** A reference names a version by its id, a UUID, or by a label such as AWSPREVIOUS. */
const versionOf = (reference: string | null) =>
  reference === null
    ? {}
    : /^[0-9a-f-]{32,64}$/i.test(reference)
      ? { VersionId: reference }
      : { VersionStage: reference };

class NoValue extends Error {
  override readonly name = "ResourceNotFoundException";
}
