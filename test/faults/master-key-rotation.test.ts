import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterEach, describe, expect, it } from "vitest";
import { rewrapBy } from "../../adapters-infra/local/aes-cipher.ts";
import { loadMasterKey } from "../../adapters-infra/local/master-key.ts";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import { nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

const withKeyFile = { SERVICE_SECRETS_MASTER_KEY: "" };

describe("the master key rotates while the service runs", () => {
  let service: TestService;
  afterEach(() => service?.stop());

  const begin = async () => {
    service = await startService({ env: withKeyFile });
    const { id: companyId } = await service.admin.companies.create({ name: "Keys" });
    const secret = await service.admin.secrets.create({ companyId, name: "S", value: "kept-through-it-all" });
    const agent = await service.admin.agents.create({
      companyId,
      name: "Reader",
      adapterType: "process",
      adapterConfig: {
        ...nodeAgent(`process.exit(process.env.S === "kept-through-it-all" ? 0 : 1)`),
        env: { S: { type: "secret_ref", secretId: secret.id, version: "latest" } },
      },
    });
    return agent.id;
  };
  const reads = async (agentId: string) => {
    const { id } = await service.admin.agents.invoke({ agentId });
    const run = await eventually(
      () => service.admin.runs.get({ runId: id! }),
      ({ finishedAt }) => finishedAt !== null,
    );
    expect(run).toMatchObject({ status: "succeeded", errorCode: null });
  };
  const keyFile = () => join(service.dataDir, "master.key");
  const expected = async () => (await service.admin.system.health({})).masterKeyFingerprint!;

  it("and every value opens before, directly after, and at the next start", async () => {
    const agentId = await begin();
    await reads(agentId);
    const before = await readFile(keyFile(), "utf8");
    const rotated = await service.admin.secrets.rotateMasterKey({});
    expect(rotated.dataKeys).toBeGreaterThan(0);
    expect(await expected()).toBe(rotated.to);
    await reads(agentId);
    expect(await readFile(keyFile(), "utf8")).not.toBe(before);
    expect((await readdir(service.dataDir)).filter((name) => name.startsWith("master.key"))).toEqual([
      "master.key",
    ]);
    const started = await Effect.runPromise(
      loadMasterKey({ fromEnvironment: null, path: keyFile(), expected: rotated.to }),
    );
    expect(started.current.fingerprint).toBe(rotated.to);
    await service.admin.secrets.rotateMasterKey({});
    await reads(agentId);
    // The former key is useless, and a start with it is refused.
    await writeFile(keyFile(), before);
    const refused = await Effect.runPromise(
      Effect.flip(loadMasterKey({ fromEnvironment: null, path: keyFile(), expected: await expected() })),
    );
    expect(refused.message).toContain(rotated.from);
  });

  it.each(["the new key lies on the disk", "the database has changed over"])(
    "and a kill when %s leaves everything readable",
    async (step) => {
      const agentId = await begin();
      const from = await expected();
      const sql = openDatabase(service.databaseUrl, { max: 2 });
      try {
        // Another process rotates, and is killed halfway.
        const ring = await Effect.runPromise(
          loadMasterKey({ fromEnvironment: null, path: keyFile(), expected: from }),
        );
        const next = ring.next()!;
        if (step === "the database has changed over")
          await Effect.runPromise(
            postgresAdapters(sql, systemClock).transactor.transact(({ dataKeys }) =>
              Effect.gen(function* () {
                const { keys } = yield* dataKeys.lockAll();
                for (const { companyId, ...wrapped } of keys)
                  yield* dataKeys.rewrap(
                    companyId,
                    yield* rewrapBy(ring, next, companyId, wrapped).pipe(Effect.orDie),
                  );
                yield* dataKeys.setMasterKey(next.fingerprint);
              }),
            ),
          );
      } finally {
        await sql.end();
      }
      // The running service, …
      await reads(agentId);
      // … and the next start.
      const now = await expected();
      const started = await Effect.runPromise(
        loadMasterKey({ fromEnvironment: null, path: keyFile(), expected: now }),
      );
      expect(started.current.fingerprint).toBe(now);
      // The key of a company that stores its first value now is wrapped by the current key.
      const { id: companyId } = await service.admin.companies.create({ name: "Late" });
      await service.admin.secrets.create({ companyId, name: "L", value: "late-value" });
      await service.admin.secrets.rotateMasterKey({});
      await reads(agentId);
    },
  );

  it("except if the key is a variable and no next one is set", async () => {
    service = await startService();
    const answer = await service.request("POST", "/api/master-key/rotate", { body: {} });
    expect([answer.status, answer.body.code]).toEqual([409, "next_master_key_missing"]);
  });
});
