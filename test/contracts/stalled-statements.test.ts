import { type AddressInfo, connect, createServer } from "node:net";
import postgres from "postgres";
import { expect, it } from "vitest";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { databaseOf } from "../../adapters-infra/postgres/database.ts";
import { createDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";

/** The last message of a first use: the client waits for the description of the statement's parameters. */
const flush = Buffer.from([0x48, 0, 0, 0, 4]);

/** Passes a client's words on; on request, only until it has asked what a statement takes. */
const cutOffMidway = async (databaseUrl: string) => {
  const target = new URL(databaseUrl);
  const { hostname, port } = target;
  let isArmed = false;
  const server = createServer((near) => {
    let isCut = false;
    const far = connect(Number(port), hostname);
    near.on("data", (chunk) => {
      if (isCut) return;
      far.write(chunk);
      isCut = isArmed && chunk.subarray(-flush.length).equals(flush);
    });
    far.on("data", (chunk) => {
      if (!isCut) near.write(chunk);
    });
    far.on("close", () => near.destroy());
    for (const socket of [near, far]) socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  target.hostname = "127.0.0.1";
  target.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    isArmed = true;
  };
  return { url: target.href, cut, close: () => server.close() };
};

it("A host that is cut off in the middle of a statement holds locks no longer than an idle transaction may", async () => {
  const database = await createDatabase();
  const relay = await cutOffMidway(database.url);
  const away = postgres(relay.url, {
    max: 1,
    connection: { application_name: "boardroom" },
  });
  const pool = openDatabase(database.url, { idleInTransactionSec: 0.5 });
  try {
    const lost = await away.reserve();
    await lost.unsafe("begin");
    await lost.unsafe("select pg_advisory_xact_lock(77)");
    relay.cut();
    lost`select ${1}::integer as n`.catch(() => {});
    await eventually(
      () => pool`
        select from pg_stat_activity
        where  datname = current_database() and state = 'active' and wait_event = 'ClientRead'
      `,
      (halfSent) => halfSent.length === 1,
    );
    // Another service.
    databaseOf(pool);
    const [lock] = await eventually(
      () => pool<{ free: boolean }[]>`select pg_try_advisory_xact_lock(77) as free`,
      ([tried]) => tried!.free,
    );
    expect(lock).toEqual({ free: true });
  } finally {
    relay.close();
    await Promise.all([away.end({ timeout: 0 }), pool.end({ timeout: 1 })]);
    await database.drop();
  }
});
