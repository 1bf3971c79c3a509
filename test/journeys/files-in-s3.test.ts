import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { nodeAgent } from "../support/agent-programs.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type S3Server, startS3 } from "../support/s3-server.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

const marker = "0b7f6f0e-these-words-are-in-files-alone";

/** Prints a line, attaches a file, and ends; `pause` lets the test act meanwhile. */
const writer = nodeAgent(`
console.log("${marker} begins");
const { body: issue } = await call("GET", "/api/issues/" + task);
const form = new FormData();
form.set("file", new File(["${marker} by an agent"], "notes.txt", { type: "text/plain" }));
const attach = () => fetch(api + "/api/companies/" + issue.companyId + "/issues/" + task + "/attachments", {
  method: "POST", headers: { authorization: "Bearer " + token }, body: form });
let answer = await attach();
for (; answer.status === 503; answer = await attach()) {
  console.log("got " + (await answer.json()).code);
  await new Promise((resolve) => setTimeout(resolve, 200));
}
console.log("attached with " + answer.status);
await call("PATCH", "/api/issues/" + task, { status: "done" });
console.log("${marker} ends");
`);

describe("Two services that share a database and a bucket", () => {
  let database: TestDatabase;
  let s3: S3Server;
  let directory: string;
  let sql: postgres.Sql;
  let a: ServiceProgram;
  let b: ServiceProgram;
  let boards: { readonly a: Client; readonly b: Client };
  let companyId: string;

  const serve = (name: string, role: string) =>
    serveProgram(
      join(directory, name),
      {
        DATABASE_URL: database.url,
        SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
        SERVICE_BLOB_STORE: "s3",
        SERVICE_S3_BUCKET: "boardroom",
        SERVICE_S3_PREFIX: "here/",
        SERVICE_S3_ENDPOINT: s3.url,
        AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
        AWS_SECRET_ACCESS_KEY: "not a secret",
      },
      ["--role", role],
    );

  beforeAll(async () => {
    [database, s3, directory] = await Promise.all([
      createDatabase(),
      startS3("boardroom"),
      mkdtemp(join(tmpdir(), "boardroom-s3-")),
    ]);
    sql = postgres(database.url, { max: 1 });
    a = await serve("a", "all");
    b = await serve("b", "api");
    boards = { a: await a.board(), b: await b.board() };
    companyId = (await boards.a.companies.create({ name: "Bucket Works" })).id;
  });
  afterEach(() => {
    s3?.outage(null);
    s3?.cutObjectsAfter(null);
  });
  afterAll(async () => {
    await Promise.all([a?.stop(), b?.stop()]);
    await sql?.end();
    await s3?.stop();
    await database?.drop();
    await rm(directory, { recursive: true, force: true });
  });

  const anIssue = async () => (await boards.a.issues.create({ companyId, title: "Files" })).id;
  const bytesOf = async (service: ServiceProgram, path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(service.url + path, {
      headers: { authorization: `Bearer ${await service.token()}`, ...headers },
    });
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  const logOf = async (board: Client, runId: string) =>
    (await board.runs.log({ runId })).content
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { chunk: string }).chunk)
      .join("");
  const work = async () => {
    const agent = await boards.a.agents.create({
      companyId,
      name: `Writer ${randomBytes(4).toString("hex")}`,
      adapterType: "process",
      adapterConfig: writer,
    });
    return boards.a.issues.create({ companyId, title: "Write", assigneeAgentId: agent.id });
  };
  const done = async (issueId: string) => {
    const [run] = await eventually(
      async () => (await boards.a.runs.ofIssue({ issueId })).items,
      ([first]) => first !== undefined && first.finishedAt !== null,
    );
    return run!;
  };
  const refusalOf = (call: Promise<unknown>) =>
    call.then(
      () => "carried out",
      ({ status, code }: { status: number; code: string }) => [status, code],
    );
  const unavailable = [503, "blob_store_unavailable"];

  it("serve each other's run logs and files, whole and in part, and store none of them outside the bucket", async () => {
    const { id: issueId } = await work();
    const run = await done(issueId);
    expect(run.status).toBe("succeeded");
    for (const board of [boards.a, boards.b])
      expect(await logOf(board, run.id)).toBe(`${marker} begins\nattached with 201\n${marker} ends\n`);
    const [byAgent] = (await boards.b.attachments.list({ issueId })).items;
    expect((await bytesOf(b, byAgent!.contentPath)).bytes.toString()).toBe(`${marker} by an agent`);

    const content = randomBytes(7_000_000);
    const added = await boards.a.attachments.add({
      companyId,
      issueId,
      file: new File([content], "big.bin"),
    });
    expect(added).toMatchObject({
      provider: "s3",
      byteSize: content.length,
      sha256: createHash("sha256").update(content).digest("hex"),
    });
    const whole = await bytesOf(b, added.contentPath);
    expect([whole.status, whole.bytes.equals(content)]).toEqual([200, true]);
    const part = await bytesOf(b, added.contentPath, { range: "bytes=6000000-6000009" });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 6000000-6000009/7000000"]);
    expect(part.bytes.equals(content.subarray(6_000_000, 6_000_010))).toBe(true);
    expect((await bytesOf(b, added.contentPath, { range: "bytes=7000000-" })).status).toBe(416);

    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><title>${marker}</title></svg>`;
    const { assetId } = await boards.b.assets.addLogo({
      companyId,
      file: new File([svg], "logo.svg", { type: "image/svg+xml" }),
    });
    const { logoUrl } = await boards.b.companies.update({ companyId, logoAssetId: assetId });
    expect((await bytesOf(a, logoUrl!)).bytes.toString()).toBe(svg);

    for (const key of s3.objects.keys()) expect(key).toMatch(/^here\/(files|run-logs)\//);
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    expect(entries.map(({ name }) => name)).not.toContain("blobs");
    for (const entry of entries)
      if (entry.isFile()) {
        const text = readFileSync(join(entry.parentPath, entry.name));
        expect([entry.name, text.includes(marker)]).toEqual([entry.name, false]);
      }

    await boards.b.attachments.remove({ attachmentId: added.id });
    for (const service of [a, b]) expect((await bytesOf(service, added.contentPath)).status).toBe(404);
    // A worker sweeps soon after its start.
    const worker = await serve("c", "worker");
    await eventually(
      async () => s3.objects.has(`here/${added.objectKey}`),
      (there) => !there,
    ).finally(() => worker.stop());
    expect(s3.objects.has(`here/${byAgent!.objectKey}`)).toBe(true);
  });

  it.each(["gone", "busy"] as const)(
    "report it while S3 is %s, leave nothing half done, and continue afterwards",
    async (how) => {
      const issueId = await anIssue();
      const attached = await boards.a.attachments.add({
        companyId,
        issueId,
        file: new File(["kept"], "k.txt"),
      });
      const logged = await done((await work()).id);
      const rows = async () => {
        const [row] =
          await sql`select (select count(*) from assets) as assets, (select count(*) from attachments) as files`;
        return row;
      };
      const before = await rows();
      const idempotencyKey = `once-${how}`;
      const file = () => new File([randomBytes(6_000_000)], "later.bin");
      const later = file();
      const add = () => boards.a.attachments.add({ companyId, issueId, file: later }, { idempotencyKey });

      s3.outage(how);
      expect(await refusalOf(add())).toEqual(unavailable);
      expect(await refusalOf(boards.b.attachments.add({ companyId, issueId, file: file() }))).toEqual(
        unavailable,
      );
      const logo = new File(["<svg/>"], "l.svg", { type: "image/svg+xml" });
      expect(await refusalOf(boards.b.assets.addLogo({ companyId, file: logo }))).toEqual(unavailable);
      expect(await refusalOf(boards.b.attachments.content({ attachmentId: attached.id }))).toEqual(
        unavailable,
      );
      expect(await refusalOf(boards.b.runs.log({ runId: logged.id }))).toEqual(unavailable);
      expect(await refusalOf(boards.b.runs.transcript({ runId: logged.id }))).toEqual(unavailable);
      // Requests without files succeed.
      expect((await boards.b.attachments.list({ issueId })).items).toHaveLength(1);
      await boards.b.issues.comment({ issueId, body: "Still here." });
      expect(await rows()).toEqual(before);
      // An agent gets the same error meanwhile, and its log is stored later.
      const attempts = async () => (await sql`select from loose_blobs`).length;
      const others = await attempts();
      const { id: working } = await work();
      await eventually(attempts, (count) => count > others + 1);

      s3.outage(null);
      const run = await done(working);
      expect(run.status).toBe("succeeded");
      const log = await logOf(boards.b, run.id);
      expect(log).toMatch(
        new RegExp(`^${marker} begins\n(got blob_store_unavailable\n)+attached with 201\n${marker} ends\n$`),
      );
      const made = await add();
      expect((await add()).id).toBe(made.id);
      expect((await bytesOf(b, made.contentPath)).bytes.length).toBe(6_000_000);
      expect((await bytesOf(b, attached.contentPath)).bytes.toString()).toBe("kept");
      expect((await boards.b.attachments.list({ issueId })).items).toHaveLength(2);
      // The operator learns the cause, clients do not.
      expect(a.output()).toContain("files cannot be stored or read");
    },
  );

  it("break off a download that S3 breaks off, and never pass a part off as the whole", async () => {
    const issueId = await anIssue();
    const file = new File([randomBytes(4_000_000)], "cut.bin");
    const { contentPath } = await boards.a.attachments.add({ companyId, issueId, file });
    s3.cutObjectsAfter(1_000_000);
    await expect(bytesOf(b, contentPath)).rejects.toThrow();
    s3.cutObjectsAfter(null);
    expect((await bytesOf(b, contentPath)).bytes.length).toBe(4_000_000);
  });
});
