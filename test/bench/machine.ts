import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import postgres from "postgres";
import { Connection } from "./connection.ts";
import { rate } from "./measure.ts";

/** Reference figures of this machine per second, measured in the same run. */
export interface MachineFigure {
  /** One prepared select by primary key, 16 connections. */
  readonly select: number;
  /** Transactions that change three rows of their own, 16 connections. */
  readonly transaction: number;
  /** The same where all change one row. */
  readonly hotRow: number;
  /** Answers of a bare node:http server, 32 connections. */
  readonly answer: number;
  /** Spawns of /bin/true, 50 at once. */
  readonly spawn: number;
}

const connections = 16;
const accounts = 10_000;

export const measureMachine = async (databaseUrl: string, seconds: number): Promise<MachineFigure> => {
  const sql = postgres(databaseUrl, { max: connections, onnotice: () => {} });
  try {
    await sql`create table if not exists bench_accounts (id integer primary key, balance integer not null)`;
    await sql`
      insert into bench_accounts
      select n, 0 from generate_series(1, ${accounts}) n
      on conflict do nothing`;
    await sql`vacuum analyze bench_accounts`;
    const select = await rate(
      connections,
      seconds,
      () => sql`select balance from bench_accounts where id = ${anyAccount()}`,
    );
    const transact = (worker: number, hot: boolean) =>
      sql.begin((tx) =>
        // Each worker has rows of its own, so that none waits for a lock.
        Promise.all(
          [0, 1, 2].map((n) => {
            const id = hot && n === 0 ? 1 : 2 + worker * 100 + n * 10 + Math.floor(Math.random() * 10);
            return tx`update bench_accounts set balance = balance + 1 where id = ${id}`;
          }),
        ),
      );
    const transaction = await rate(connections, seconds, (worker) => transact(worker, false));
    const hotRow = await rate(connections, seconds, (worker) => transact(worker, true));
    await sql`drop table bench_accounts`;
    return {
      select: select.value,
      transaction: transaction.value,
      hotRow: hotRow.value,
      answer: await answers(seconds),
      spawn: await spawns(seconds),
    };
  } finally {
    await sql.end({ timeout: 5 });
  }
};

const anyAccount = () => 1 + Math.floor(Math.random() * accounts);

const answers = async (seconds: number): Promise<number> => {
  const body = JSON.stringify({ status: "ok" });
  const server = createServer((_, answer) => {
    answer.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sockets = Array.from({ length: 32 }, () => new Connection(url));
  const { value } = await rate(sockets.length, seconds, (worker) =>
    sockets[worker]!.call("GET", "/", "none"),
  );
  for (const socket of sockets) socket.close();
  server.close();
  return value;
};

const spawns = async (seconds: number): Promise<number> => {
  const one = async () => once(spawn("/bin/true", { stdio: ["ignore", "pipe", "pipe"] }), "close");
  return (await rate(50, seconds, one)).value;
};
