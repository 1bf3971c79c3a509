import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentAtWork, type ApiService, startApi } from "../support/api-service.ts";
import { drawings } from "../support/drawings.ts";
import { eventually } from "../support/eventually.ts";
import { fileForm } from "../support/file-form.ts";

let api: ApiService;
let companyId: string;
let issueId: string;
let ada: AgentAtWork;

beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
  issueId = (await api.issue(companyId)).id;
  ada = await api.atWork((await api.agent(companyId, { name: "Ada" })).id);
});
afterAll(() => api?.stop());

const path = (issue = issueId) => `/api/companies/${companyId}/issues/${issue}/attachments`;
const bytesOf = (url: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(api.url + url, { method, headers: { authorization: `Bearer ${api.token}`, ...headers } });
const blobs = (): string[] => {
  const folder = join(api.dataDir, "blobs", "files");
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
    : [];
};

describe("An attachment", () => {
  it("is returned byte for byte, with its hash, size and name", async () => {
    const content = randomBytes(3_000_000);
    const form = fileForm(new Uint8Array(content), { name: "Übersicht 1.bin", type: "application/x-thing" });
    const made = await api.make(path(), form, ada.as);
    const sha256 = createHash("sha256").update(content).digest("hex");
    expect(made).toMatchObject({
      issueId,
      sha256,
      byteSize: 3_000_000,
      contentType: "application/x-thing",
      originalFilename: "Übersicht 1.bin",
      provider: "local_disk",
      createdByAgentId: ada.agentId,
      originatingRunId: ada.runId,
    });
    const answer = await bytesOf(made.contentPath);
    expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), content)).toBe(0);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-length": "3000000",
      "content-type": "application/x-thing",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
      "content-disposition": `attachment; filename="_bersicht 1.bin"; filename*=UTF-8''%C3%9Cbersicht%201.bin`,
      etag: `"${sha256}"`,
    });
    expect((await api.get(`/api/issues/${issueId}/attachments`)).body[0].id).toBe(made.id);
  });

  it.each([
    ["Plan.DOCX", "application/octet-stream", /wordprocessingml/],
    ["sums.xlsx", "application/zip", /spreadsheetml/],
    ["notes.odt", "", /opendocument\.text/],
    ["plan.docx", "text/plain", /^text\/plain$/],
    ["archive.zip", "application/zip", /^application\/zip$/],
    ["docx", "application/octet-stream", /^application\/octet-stream$/],
  ])("called %s and sent as %j gets the more specific type", async (name, type, expected) => {
    expect((await api.make(path(), fileForm("x", { name, type }))).contentType).toMatch(expected);
  });

  it("is found under the issue's identifier, too", async () => {
    const { identifier } = (await api.get(`/api/issues/${issueId}`)).body;
    expect((await api.make(path(identifier), fileForm("x"))).issueId).toBe(issueId);
  });

  it.each([
    ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
    ["bytes=4-", 206, "456789", "bytes 4-9/10"],
    ["bytes=-2", 206, "89", "bytes 8-9/10"],
    ["bytes=8-99", 206, "89", "bytes 8-9/10"],
    ["bytes=10-", 416, "", "bytes */10"],
    ["bytes=-0", 416, "", "bytes */10"],
    ["bytes=3-1", 200, "0123456789", null],
    ["bytes=0-1,4-5", 200, "0123456789", null],
    ["lines=0-1", 200, "0123456789", null],
  ])("answers Range %s with %i", async (range, status, text, contentRange) => {
    const { contentPath } = await api.make(path(), fileForm("0123456789"));
    const answer = await bytesOf(contentPath, { range });
    expect([answer.status, await answer.text(), answer.headers.get("content-range")]).toEqual([
      status,
      text,
      contentRange,
    ]);
  });

  it("is not sent again to a client that has it, and HEAD sends only its length", async () => {
    const { contentPath, sha256 } = await api.make(path(), fileForm("0123456789"));
    expect((await bytesOf(contentPath, { "if-none-match": `"${sha256}"` })).status).toBe(304);
    expect((await bytesOf(contentPath, { "if-range": '"other"', range: "bytes=0-1" })).status).toBe(200);
    const head = await bytesOf(contentPath, {}, "HEAD");
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "10"]);
    // RFC 9110, 14.2: a range applies only to GET.
    const part = await bytesOf(contentPath, { range: "bytes=0-1" }, "HEAD");
    expect([part.status, part.headers.get("content-length")]).toEqual([200, "10"]);
  });

  it.each([
    ["image/png", "inline"],
    ["application/pdf", "inline"],
    ["text/plain", "inline"],
    ["text/html", "attachment"],
    ["image/svg+xml", "attachment"],
    ["application/xhtml+xml", "attachment"],
    ["application/x-nonsense", "attachment"],
  ])("of %s is served %s, and saved if requested", async (type, kind) => {
    const { contentPath, downloadPath } = await api.make(
      path(),
      fileForm("<script>alert(1)</script>", { type }),
    );
    const answer = await bytesOf(contentPath);
    expect(answer.headers.get("content-disposition")?.split(";")[0]).toBe(kind);
    expect(answer.headers.get("content-security-policy")).toMatch(
      kind === "inline" ? /default-src 'none'/ : /sandbox/,
    );
    expect((await bytesOf(downloadPath)).headers.get("content-disposition")).toMatch(/^attachment/);
  });

  it("of an empty file, no file, two files or no multipart is refused, and nothing is stored", async () => {
    const before = blobs().length;
    const twice = fileForm("a");
    twice.append("file", new File(["b"], "b"));
    const none = new FormData();
    none.set("issueCommentId", "x");
    const extra = fileForm("a", { other: "field" });
    const comment = fileForm("a", { issueCommentId: "0192f000-0000-7000-8000-000000000000" });
    const answers = [];
    for (const body of [fileForm(""), twice, none, extra, comment, { file: "x" }]) {
      const { status, body: refusal } = await api.post(path(), body);
      answers.push([status, refusal.code]);
    }
    expect(answers).toEqual([
      [422, "file_empty"],
      [400, "validation_error"],
      [400, "validation_error"],
      [400, "validation_error"],
      [422, "reference_not_found"],
      [415, "unsupported_media_type"],
    ]);
    await eventually(
      async () => blobs().length,
      (count) => count === before,
    );
    expect(await api.sql`select from loose_blobs where due_at > now() + interval '2 hours'`).toHaveLength(0);
  });

  it("is refused above the limit, and nothing of it is stored", async () => {
    const before = blobs().length;
    const { status, body } = await api.post(path(), fileForm(new Uint8Array(10 * 1024 * 1024 + 1)));
    expect([status, body.code]).toEqual([413, "payload_too_large"]);
    expect((await api.post(path(), fileForm(new Uint8Array(10 * 1024 * 1024)))).status).toBe(201);
    await eventually(
      async () => blobs().length,
      (count) => count === before + 1,
    );
  });

  it("whose upload breaks off never exists", async () => {
    const before = blobs().length;
    const { hostname, port } = new URL(api.url);
    const upload = httpRequest({
      hostname,
      port,
      path: path(),
      method: "POST",
      headers: {
        authorization: `Bearer ${api.token}`,
        "content-type": "multipart/form-data; boundary=b",
        "content-length": 1_000_000,
      },
    });
    upload.on("error", () => {});
    upload.write('--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n');
    upload.write("x".repeat(300_000));
    await eventually(
      async () => blobs().length,
      (count) => count > before,
    );
    upload.destroy();
    await eventually(
      async () => blobs().length,
      (count) => count === before,
    );
  });

  it("is created once under its Idempotency-Key, and its bytes are stored once", async () => {
    const before = blobs().length;
    const headers = { "idempotency-key": "once" };
    const first = await api.post(path(), fileForm("same"), { headers });
    const again = await api.post(path(), fileForm("same"), { headers });
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
    const other = await api.post(path(), fileForm("other"), { headers });
    expect([other.status, other.body.code]).toEqual([409, "idempotency_key_reused"]);
    expect(blobs().length).toBe(before + 1);
  });

  it("is deleted, first from the interface and then from the disk", async () => {
    const made = await api.make(path(), fileForm("gone"), ada.as);
    const name = made.objectKey.split("/").at(-1);
    expect((await api.delete(`/api/attachments/${made.id}`, ada.as)).body).toEqual({ ok: true });
    expect((await bytesOf(made.contentPath)).status).toBe(404);
    const due = await api.sql`select from loose_blobs where blob_key = ${made.objectKey} and due_at <= now()`;
    expect(due).toHaveLength(1);
    expect(blobs()).toContain(name);
  });

  it("is deleted once, by one of two callers at the same moment", async () => {
    const { id, issueId } = await api.make(path(), fileForm("contested"));
    const { both } = await api.sql.begin(async (sql) => {
      await sql`select from issues where id = ${issueId} for update`;
      const both = [1, 2].map(() => api.delete(`/api/attachments/${id}`));
      await eventually(api.waiting, (count) => count === 2);
      return { both };
    });
    const statuses = (await Promise.all(both)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 404]);
    const removals = await api.sql`
      select from activity where action = 'issue.attachment_removed' and details ->> 'attachmentId' = ${id}
    `;
    expect(removals).toHaveLength(1);
  });

  it("cannot be added by an agent to another agent's issue", async () => {
    const { id } = await api.issue(companyId, { assigneeAgentId: (await api.agent(companyId)).id });
    expect((await api.post(path(id), fileForm("x"), ada.as)).body.code).toBe("issue_not_yours");
  });
});

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]);
const svg = (inside: string, attributes = "") =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`;
const bare = svg("").slice(39);
const logo = (content: string | Uint8Array<ArrayBuffer>, type = "image/svg+xml") =>
  api.post(`/api/companies/${companyId}/logo`, fileForm(content, { name: "logo", type }));

describe("A logo", () => {
  it("is uploaded, set, replaced and removed", async () => {
    const set = (logoAssetId: unknown) => api.patch(`/api/companies/${companyId}`, { logoAssetId });
    const first = (await logo(png, "text/plain")).body;
    expect(first).toMatchObject({ contentType: "image/png", companyId });
    const happened = await api.get(`/api/companies/${companyId}/activity?entityId=${first.assetId}`);
    expect(happened.body).toMatchObject([
      { action: "asset.created", entityType: "asset", details: { contentType: "image/png" } },
    ]);
    expect((await set(first.assetId)).body).toMatchObject({
      logoAssetId: first.assetId,
      logoUrl: `/api/assets/${first.assetId}/content`,
    });
    expect((await bytesOf(first.contentPath)).headers.get("content-type")).toBe("image/png");
    const second = (await logo(svg('<path d="M0 0"/>'))).body;
    expect((await set(second.assetId)).body.logoAssetId).toBe(second.assetId);
    expect((await bytesOf(first.contentPath)).status).toBe(404);
    const served = await bytesOf(second.contentPath);
    expect(served.headers.get("content-security-policy")).toBe(
      "default-src 'none'; frame-ancestors 'none'; sandbox",
    );
    expect((await set(null)).body).toMatchObject({ logoAssetId: null, logoUrl: null });
  });

  it("cannot be a file of another company, or an attachment", async () => {
    const other = await api.company();
    const theirs = await api.make(`/api/companies/${other.id}/logo`, fileForm(png, { type: "image/png" }));
    const attached = await api.make(path(), fileForm(png, { type: "image/png" }));
    for (const { assetId } of [theirs, attached]) {
      const { status, body } = await api.patch(`/api/companies/${companyId}`, { logoAssetId: assetId });
      expect([status, body.code]).toEqual([422, "reference_not_found"]);
    }
  });

  it.each([
    ["a page", "<html></html>", "text/html"],
    ["a page that says it is a PNG", "<html></html>", "image/png"],
  ])("refuses %s", async (_, content, type) => {
    const { status, body } = await logo(content, type);
    expect([status, body.code]).toEqual([422, "logo_type_unsupported"]);
  });

  it.each([
    ["shapes", '<g fill="url(#a)"><circle r="1" style="fill:#fff"/></g><use href="#a"/>'],
    [
      "a gradient and a style",
      '<defs><linearGradient id="a"><stop/></linearGradient></defs><style>.a{fill:url(#a)}</style>',
    ],
    ["words", "<text><tspan>Acme &amp; Co</tspan></text>"],
  ])("may be an SVG with %s", async (_, inside) => {
    expect((await logo(svg(inside))).status).toBe(201);
  });

  it.each(Object.entries(drawings))("may be an SVG as %s writes it", async (_, content) => {
    expect(await logo(content)).toMatchObject({ status: 201 });
  });

  it.each([
    ["<script>alert(1)</script>", /script/],
    ['<SCRIPT xmlns="http://www.w3.org/2000/svg"/>', /SCRIPT/],
    ['<x:script xmlns:x="http://www.w3.org/1999/xhtml"/>', /script/],
    ["<foreignObject/>", /foreignObject/],
    ['<g onclick="x()"/>', /onclick/],
    ['<g ONLOAD="x()"/>', /ONLOAD/],
    ['<a href="javascript:alert(1)"><g/></a>', /outside/],
    ['<use xlink:href="https://evil.example/x.svg#a"/>', /outside/],
    ['<image href="https://evil.example/a.png"/>', /outside \(href\)/],
    ['<image href="data:image/svg+xml;base64,AAAA"/>', /embedded data that is not a PNG/],
    ['<image href="data:image/png,AAAA"/>', /embedded data that is not a PNG/],
    ['<image href="data:image/png;base64,AAAA&quot;>"/>', /embedded data that is not a PNG/],
    ['<use href="data:image/png;base64,AAAA"/>', /embedded data/],
    ['<a href="data:image/png;base64,AAAA"/>', /embedded data/],
    ["<style>@font-face{src:url(https://evil.example/a.woff)}</style>", /style/],
    ["<style>@font-face{src:url(data:text/html;base64,AAAA)}</style>", /style/],
    ["<style>@font-face{src:url(data:font/woff2;base64,AA),url(//evil.example)}</style>", /style/],
    ["<style>@font-face{src:url(data:font/woff2;base64,AA) url(//evil.example)}</style>", /style/],
    ["<style>g{fill:url('data:image/png;base64,AA\")}</style>", /style/],
    ['<animate attributeName="href" to="javascript:1"/>', /animate/],
    ['<set attributeName="onload" to="x"/>', /set/],
    ["<style>@import 'https://evil.example/a.css';</style>", /style/],
    ["<rect style=\"background: src('https://evil.example/a.png')\"/>", /outside \(style\)/],
    ["<style>g{background:image('https://evil.example/a.png')}</style>", /style/],
    ['<a href="#b" ping="https://evil.example/"/>', /outside \(ping\)/],
    ["<style><![CDATA[a{fill:url(https://evil.example)}]]></style>", /style/],
    ["<style>@im<![CDATA[port 'https://evil.example/a.css';]]></style>", /style/],
    ["<style>@im<!-- -->port 'https://evil.example/a.css';</style>", /style/],
    ["<style><g/>@import 'https://evil.example/a.css';</style>", /element within a style/],
    ['<g style="fill:url( https://evil.example )"/>', /outside/],
    ['<g fill="u\\72l(https://evil.example)"/>', /outside/],
    ['<g xml:base="https://evil.example/"/>', /base/],
    ["<g>", /well-formed/],
    ["&nbsp;", /well-formed/],
    ['<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"/>', /math/],
    ['<x:iframe xmlns:x="http://www.w3.org/1999/xhtml"/>', /iframe/],
    ['<o:note xmlns:o="urn:o"><script/></o:note>', /script/],
    ['<o:Script xmlns:o="urn:o"/>', /Script/],
    ['<o:note xmlns:o="urn:o" onclick="x()"/>', /onclick/],
    ['<o:note xmlns:o="urn:o"><rect fill="url(https://evil.example)"/></o:note>', /outside \(fill\)/],
    ['<o:note xmlns:o="urn:o" xlink:href="https://evil.example/"/>', /outside \(href\)/],
    ['<g xmlns:ev="http://www.w3.org/2001/xml-events" ev:event="click"/>', /event/],
    ["<?xml-stylesheet href='x.css'?>", /processing instruction/],
  ])("that is an SVG with %s is refused by name", async (inside, named) => {
    const { status, body } = await logo(svg(inside));
    expect([status, body.code]).toEqual([422, "unsafe_svg"]);
    expect(body.error).toMatch(named);
  });

  it.each([
    ["a document type with entities", `<!DOCTYPE svg [<!ENTITY x "y">]>${bare}`],
    ["a document type that gives attributes", `<!DOCTYPE svg [<!ATTLIST svg onload CDATA "x()">]>${bare}`],
    ["a document type from elsewhere", `<!DOCTYPE svg SYSTEM "https://evil.example/x.dtd">${bare}`],
    ["a document type that is another's", `<!DOCTYPE html>${bare}`],
    ["another root", '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
    ["nothing", " "],
    ["another encoding", svg("").replace("UTF-8", "UTF-7")],
    [
      "another encoding in which it would read otherwise",
      svg("<title>Ä</title>").replace("UTF-8", "ISO-8859-1"),
    ],
  ])("that claims to be an SVG and is %s is refused", async (_, content) => {
    expect((await logo(content)).body.code).toBe("unsafe_svg");
  });
});
