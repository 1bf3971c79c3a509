import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import {
  accessKeyId,
  region,
  type SecretsManager,
  secretAccessKey,
  startSecretsManager,
} from "../support/secrets-manager.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

let database: TestDatabase;
let manager: SecretsManager;
let directory: string;
let program: ServiceProgram;

beforeAll(async () => {
  [database, manager, directory] = await Promise.all([
    createDatabase(),
    startSecretsManager(),
    mkdtemp(join(tmpdir(), "boardroom-built-")),
  ]);
  program = await serveProgram(
    directory,
    {
      DATABASE_URL: database.url,
      SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
      SERVICE_CLOUD_A_ENDPOINT: manager.url,
      SERVICE_CLOUD_A_REGION: region,
      SERVICE_CLOUD_A_DEPLOYMENT_ID: "test",
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    ["--role", "api"],
  );
});
afterAll(async () => {
  await program?.stop();
  await manager?.stop();
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

// `journeys/files-in-s3.test.ts` covers S3 in the bundle.
it("the built program finds what it loads late: the client of AWS Secrets Manager, and metrics", async () => {
  const board = await program.board();
  const { id: companyId } = await board.companies.create({ name: "Built" });
  const { id: vaultId } = await board.vaults.create({
    companyId,
    provider: "cloud_a_secrets_manager",
    displayName: "AWS",
    config: { region },
  });
  await board.secrets.create({
    companyId,
    name: "Kept",
    value: "a value of some length",
    providerConfigId: vaultId,
    provider: "cloud_a_secrets_manager",
  });
  expect([...manager.secrets.keys()]).toHaveLength(1);
  const metrics = await fetch(`${program.url}/metrics`, {
    headers: { authorization: `Bearer ${await program.token()}` },
  });
  expect([metrics.status, await metrics.text()]).toEqual([200, expect.stringContaining("# HELP")]);
});
