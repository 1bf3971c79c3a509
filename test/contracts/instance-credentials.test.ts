import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as Effect from "effect/Effect";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { s3BlobStore } from "../../adapters-infra/s3/blob-store.ts";
import { cloudAClient } from "../../adapters-infra/secret-providers/cloud-a-client.ts";

/** Each use of the AWS SDK, at an endpoint that nobody answers. */
const uses: Readonly<Record<string, () => Effect.Effect<unknown, unknown>>> = {
  "files in a bucket": () =>
    s3BlobStore({ bucket: "b", region: "eu-central-1", endpoint: "http://127.0.0.1:9", prefix: "" }).get("k"),
  "secrets of AWS Secrets Manager": () =>
    cloudAClient({
      ...{ region: "eu-central-1", endpoint: "http://127.0.0.1:9", deploymentId: "d" },
      ...{ kmsKeyId: "k", prefix: "p" },
    } as Parameters<typeof cloudAClient>[0])(
      { companyId: "c", vault: null } as never,
      "list",
      (client, { ListSecretsCommand }, options) => client.send(new ListSecretsCommand({}), options),
    ),
};

describe("The credentials of the machine's instance", () => {
  let asked: string[];
  const metadata = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(404).end();
  });
  beforeEach(async () => {
    asked = [];
    await new Promise<void>((listening) => metadata.listen(0, "127.0.0.1", listening));
    for (const name of Object.keys(process.env)) if (name.startsWith("AWS_")) vi.stubEnv(name, undefined);
    // Never the real address, also where the service would ask.
    const { port } = metadata.address() as AddressInfo;
    vi.stubEnv("AWS_EC2_METADATA_SERVICE_ENDPOINT", `http://127.0.0.1:${port}`);
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", undefined);
    vi.stubEnv("AWS_CONFIG_FILE", "/no/where");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/no/where");
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await new Promise((closed) => metadata.close(closed));
  });

  it.each(Object.keys(uses))("are not looked for unless the operator allows it: %s", async (name) => {
    await Effect.runPromise(Effect.flip(uses[name]!()));
    expect(asked).toEqual([]);
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "false");
    await Effect.runPromise(Effect.flip(uses[name]!()));
    expect(asked.length).toBeGreaterThan(0);
  });
});
