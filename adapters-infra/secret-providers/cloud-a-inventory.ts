import type { SecretProvider } from "../../ports/secret-provider.ts";
import type { AskCloudA } from "./cloud-a-client.ts";

/** Lists and finds secrets of the provider. Reads no value. */
export const cloudAInventory = (ask: AskCloudA): Pick<SecretProvider, "list" | "describe"> => ({
  describe: (scope, reference) =>
    ask(scope, "describe", async (client, sdk, options) => {
      const { DeletedDate } = await client.send(
        new sdk.DescribeSecretCommand({ SecretId: reference }),
        options,
      );
      // A secret scheduled for deletion returns no value.
      if (DeletedDate !== undefined) throw new sdk.ResourceNotFoundException({ message: "", $metadata: {} });
    }),
  list: (scope, { query, nextToken, pageSize }) =>
    ask(scope, "list", async (client, sdk, options) => {
      const page = await client.send(
        new sdk.ListSecretsCommand({
          MaxResults: pageSize,
          ...(nextToken === null ? {} : { NextToken: nextToken }),
          ...(query === null ? {} : { Filters: [{ Key: "all", Values: [query] }] }),
        }),
        options,
      );
      return {
        nextToken: page.NextToken ?? null,
        items: (page.SecretList ?? []).flatMap((secret) => {
          const externalRef = secret.ARN ?? secret.Name;
          if (externalRef === undefined) return [];
          return [
            {
              externalRef,
              remoteName: secret.Name ?? "",
              providerVersionRef: null,
              providerMetadata: {
                createdDate: secret.CreatedDate?.toISOString() ?? null,
                lastChangedDate: secret.LastChangedDate?.toISOString() ?? null,
                hasDescription: (secret.Description ?? "") !== "",
                hasKmsKey: secret.KmsKeyId !== undefined,
                tagCount: secret.Tags?.length ?? 0,
              },
            },
          ];
        }),
      };
    }),
});
