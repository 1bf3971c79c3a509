import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli } from "../../hosts/cli/cli.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let scratch: string;
let companyId: string;
let issue: string;

beforeAll(async () => {
  service = await startService({ role: "api" });
  scratch = await mkdtemp(join(tmpdir(), "boardroom-cli-"));
  companyId = (await service.admin.companies.create({ name: "Acme" })).id;
  issue = (await service.admin.issues.create({ companyId, title: "Quay" })).identifier;
});
afterAll(async () => {
  await service?.stop();
  await rm(scratch, { recursive: true, force: true });
});

/** Runs a command line against the service. */
const boardroom = async (...args: string[]) => {
  let [out, err] = ["", ""];
  const exitCode = await cli(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    stdin: async () => "",
    env: { SERVICE_API_URL: service.url, SERVICE_API_KEY: service.token, SERVICE_COMPANY_ID: companyId },
    width: 100,
    colors: pc.createColors(false),
    now: () => new Date(),
  });
  return { exitCode, out, err };
};

describe("The command line of a thread", () => {
  it("attaches a file by its path, lists it and saves it again", async () => {
    const [path, saved] = [join(scratch, "report ü.pdf"), join(scratch, "again.pdf")];
    await writeFile(path, "%PDF-1.7 ".repeat(10_000));
    const added = await boardroom("attachments", "add", issue, "--file", path, "--json");
    const { id, contentType, originalFilename } = JSON.parse(added.out);
    expect([contentType, originalFilename]).toEqual(["application/pdf", "report ü.pdf"]);
    expect((await boardroom("attachments", "list", issue)).out).toContain("report ü.pdf");
    expect((await boardroom("attachments", "content", id, "--output", saved)).exitCode).toBe(0);
    expect(await readFile(saved, "utf8")).toBe(await readFile(path, "utf8"));
    const nowhere = await boardroom("attachments", "content", id);
    expect([nowhere.exitCode, nowhere.err]).toEqual([2, expect.stringContaining("--output")]);
    const astray = await boardroom("attachments", "content", id, "-o", join(scratch, "no", "folder"));
    expect(astray.exitCode).toBe(2);
    expect((await readdir(scratch)).filter((name) => name.endsWith(".part"))).toEqual([]);
    const missing = await boardroom("attachments", "add", issue, "--file", join(scratch, "none"));
    expect([missing.exitCode, missing.err]).toEqual([2, expect.stringContaining("doesn't exist")]);
    expect((await boardroom("attachments", "remove", id)).exitCode).toBe(0);
  });

  it("writes a document from a file, changes it and shows the difference", async () => {
    const path = join(scratch, "plan.md");
    await writeFile(path, "one\ntwo\n");
    const { out } = await boardroom("documents", "put", issue, "plan", "--body", `@${path}`, "--json");
    await writeFile(path, "one\nthree\n");
    const base = JSON.parse(out).latestRevisionId;
    const changed = await boardroom(
      "documents",
      "put",
      issue,
      "plan",
      "--body",
      `@${path}`,
      "--base-revision-id",
      base,
    );
    expect(changed.exitCode).toBe(0);
    expect((await boardroom("documents", "diff", issue, "plan")).out).toContain("-two\n+three\n");
    expect((await boardroom("documents", "list", issue)).out).toMatch(/plan\s/);
    expect((await boardroom("issues", "get", issue)).out).toMatch(/document summaries {2}plan\n/);
    const stale = await boardroom(
      "documents",
      "put",
      issue,
      "plan",
      "--body",
      "x",
      "--base-revision-id",
      base,
    );
    expect([stale.exitCode, stale.err]).toEqual([1, expect.stringContaining("current")]);
  });

  it("creates, answers, labels and searches", async () => {
    const payload = JSON.stringify({ prompt: "Ship it?" });
    const asked = await boardroom(
      "interactions",
      "create",
      issue,
      "--kind",
      "request_confirmation",
      "--payload",
      payload,
      "--json",
    );
    const { id } = JSON.parse(asked.out);
    expect((await boardroom("interactions", "list", issue)).out).toMatch(/request_confirmation .*Ship it\?/);
    expect((await boardroom("interactions", "accept", issue, id)).exitCode).toBe(0);
    expect((await boardroom("interactions", "accept", issue, id)).exitCode).toBe(1);
    const label = JSON.parse((await boardroom("labels", "create", "--name", "Harbour", "--json")).out);
    expect((await boardroom("issues", "update", issue, "--label-ids", label.id)).exitCode).toBe(0);
    expect((await boardroom("issues", "list", "--label-ids", label.id)).out).toContain("Quay");
    expect((await boardroom("issues", "search", "--q", "quays")).out).toContain("**Quay**");
    expect(JSON.parse((await boardroom("issues", "count", "--q", "quay", "--json")).out)).toEqual({
      count: 1,
    });
    const logo = join(scratch, "logo.svg");
    await writeFile(logo, '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>');
    const unsafe = await boardroom("assets", "add-logo", "--file", logo);
    expect([unsafe.exitCode, unsafe.err]).toEqual([1, expect.stringContaining("onload")]);
  });
});
