import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defaultNotices } from "../../core/model/notices/notice-settings.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type MailServer, readable, startMailServer } from "../support/mail-server.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

let folder: string;
let database: TestDatabase;
let sql: postgres.Sql;
let mails: MailServer;
const services: ServiceProgram[] = [];
/** Called at these points of a delivery, and may end the service that sends. */
let atGreeting = (): void => {};
let atAcceptance = (): void => {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "boardroom-notices-"));
  mails = await startMailServer({
    onConnect: (_, done) => {
      atGreeting();
      done();
    },
    // The data is received, and not answered yet.
    onAccepted: () => atAcceptance(),
  });
});
afterAll(async () => {
  await mails?.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  atGreeting = () => {};
  atAcceptance = () => {};
  database = await createDatabase();
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
});
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop("SIGKILL");
  await sql.end();
  await database.drop();
});

const serve = async (name: string) => {
  const service = await serveProgram(join(folder, `${name}-${Math.random()}`), {
    DATABASE_URL: database.url,
    SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
    SERVICE_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    SERVICE_SMTP_FROM: "Boardroom <boardroom@mail.example>",
    SERVICE_OUTBOUND_PRIVATE_HOSTS: "127.0.0.1",
  });
  services.push(service);
  return service;
};

/** A service whose first person, with a confirmed address, gets email after that grace period. */
const started = async (graceSec: number) => {
  const doomed = await serve("doomed");
  const board = await doomed.board();
  const address = `ada-${Math.random()}@example.org`;
  await board.session.setEmail({ address });
  const messages = () => mails.received.filter(({ to }) => to.includes(address)).map(readable);
  await board.session.confirmEmail({ code: /#code=([\w-]{43})/.exec(messages()[0]!)![1]! });
  await board.session.saveNotices({
    ...defaultNotices,
    channels: { ...defaultNotices.channels, email: { kinds: ["decision"], graceSec } },
  });
  const { id: companyId } = await board.companies.create({ name: "Harbour" });
  const ask = async () =>
    (await board.approvals.create({ companyId, type: "approve_ceo_strategy", payload: { title: "Plan" } }))
      .id;
  return { doomed, ask, notices: () => messages().slice(1) };
};

const idsOf = (messages: readonly string[]) =>
  messages.map((message) => /^Message-ID: (.+)$/m.exec(message)![1]);

/** Another service begins, and what the killed one had leased is free, as if a minute had passed. */
const replaced = async () => {
  await serve("next");
  await sql`update notice_people set lease_until = now() - interval '1 second' where leased_by is not null`;
};

const dead = ({ child }: ServiceProgram) =>
  eventually(
    async () => child.signalCode,
    (signal) => signal === "SIGKILL",
  );

/** Waits until the person has nothing left to be sent. */
const nothingDue = () =>
  eventually(
    () => sql`
      select from notices where sendings @? '$.*.state ? (@ == "due")'
      union all select from notice_people where leased_by is not null or has_news
    `,
    (open) => open.length === 0,
  );

describe("A notice is sent once by the next service where one is killed", () => {
  it("after its cause is committed", async () => {
    const { doomed, ask, notices } = await started(86_400);
    const approvalId = await ask();
    // It is noticed, and waits for its grace period.
    await eventually(
      () => sql`select from notices where sendings @? '$.*.state ? (@ == "due")'`,
      (open) => open.length > 0,
    );
    doomed.child.kill("SIGKILL");
    await dead(doomed);
    await sql`update notices set sendings = jsonb_set(sendings, '{email,dueAt}', to_jsonb('2020-01-01T00:00:00.000Z'::text))`;
    await sql`update notice_people set due_at = now()`;
    await replaced();
    await eventually(
      async () => notices(),
      (all) => all.length > 0,
    );
    await nothingDue();
    expect(notices().length).toBe(1);
    expect(notices()[0]).toContain(approvalId);
  });

  it("while it connects", async () => {
    const { doomed, ask, notices } = await started(0);
    let greeted = 0;
    atGreeting = () => {
      greeted += 1;
      if (greeted === 1) doomed.child.kill("SIGKILL");
    };
    await ask();
    await dead(doomed);
    expect(notices()).toEqual([]);
    await replaced();
    await eventually(
      async () => notices(),
      (all) => all.length > 0,
    );
    await nothingDue();
    expect(notices().length).toBe(1);
  });

  it("after the server has the message, which has the same id when it comes again", async () => {
    const { doomed, ask, notices } = await started(0);
    let accepted = 0;
    atAcceptance = () => {
      accepted += 1;
      if (accepted === 1) doomed.child.kill("SIGKILL");
    };
    await ask();
    await dead(doomed);
    expect(notices().length).toBe(1);
    await replaced();
    await eventually(
      async () => notices(),
      (all) => all.length > 1,
    );
    await nothingDue();
    expect(notices().length).toBe(2);
    expect(new Set(idsOf(notices())).size).toBe(1);
  });
});

describe("Events of a company, whose service is killed while it sends the first", () => {
  it("all arrive, in order, from the next service", async () => {
    const doomed = await serve("doomed");
    const board = await doomed.board();
    const received: string[] = [];
    let connections = 0;
    const receiver = createServer((request, response) => {
      received.push(`${request.headers["webhook-id"]}`);
      response.end();
    }).on("connection", () => {
      connections += 1;
      if (connections === 1) doomed.child.kill("SIGKILL");
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    try {
      const { id: companyId } = await board.companies.create({ name: "Harbour" });
      const { id: issueId } = await board.issues.create({ companyId, title: "0" });
      const { port } = receiver.address() as AddressInfo;
      await board.eventSubscriptions.create({
        companyId,
        url: `http://127.0.0.1:${port}/`,
        events: ["issue.updated"],
      });
      const changes = [1, 2, 3].map((n) => board.issues.update({ issueId, title: `${n}` }));
      await Promise.allSettled(changes);
      await dead(doomed);
      await serve("next");
      await sql`update event_subscriptions set lease_until = now() - interval '1 second'`;
      const logged = await sql<{ id: string }[]>`
        select id from activity where action = 'issue.updated' order by xid, position
      `;
      await eventually(
        async () => new Set(received).size,
        (count) => count === logged.length,
      );
      expect([...new Set(received)]).toEqual(logged.map(({ id }) => id));
    } finally {
      receiver.closeAllConnections();
      receiver.close();
    }
  });
});
