import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";

let api: ApiService;
let companyId: string;
let issueId: string;
beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
  issueId = (await api.issue(companyId, { title: "Long", description: "words ".repeat(500) })).id;
});
afterAll(() => api?.stop());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

const ask = (method: string, path: string, encoding: string | null, body?: object): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${api.token}`,
      ...(encoding === null ? {} : { "accept-encoding": encoding }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const asked = request(`${api.url}${path}`, { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) }),
      );
      answer.on("error", reject);
    });
    asked.on("error", reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });

describe("An answer in JSON", () => {
  it.each([
    ["br", "gzip, deflate, br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["gzip", "br;q=0, gzip;q=0.5", gunzipSync],
  ])("is sent as %s to a client that accepts %s", async (coding, accepted, decode) => {
    const plain = await ask("GET", `/api/issues/${issueId}`, null);
    const { headers, bytes } = await ask("GET", `/api/issues/${issueId}`, accepted);
    expect(headers["content-encoding"]).toBe(coding);
    expect(headers.vary).toBe("Accept-Encoding");
    expect(Number(headers["content-length"])).toBe(bytes.length);
    expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(JSON.parse(decode(bytes).toString())).toEqual(JSON.parse(plain.bytes.toString()));
  });

  it.each([null, "", "identity", "deflate", "gzip;q=0"])(
    "is sent unchanged to a client that accepts %j",
    async (accepted) => {
      const { headers, bytes } = await ask("GET", `/api/issues/${issueId}`, accepted);
      expect(headers["content-encoding"]).toBeUndefined();
      expect(JSON.parse(bytes.toString()).title).toBe("Long");
    },
  );

  it("of several rows keeps every character, compressed or not", async () => {
    const { id } = await api.company();
    const titles = ["Zoë at the 港 🚢", 'a "quote", a \\ and a ,', "plain"];
    for (const title of titles) await api.issue(id, { title, description: `${title}\n`.repeat(200) });
    const path = `/api/companies/${id}/issues?sort=created`;
    const plain = await ask("GET", path, null);
    const { bytes } = await ask("GET", path, "br");
    expect(Number(plain.headers["content-length"])).toBe(plain.bytes.length);
    expect(brotliDecompressSync(bytes)).toEqual(plain.bytes);
    const rows = JSON.parse(plain.bytes.toString()) as { title: string; description: string }[];
    expect(rows.map(({ title }) => title)).toEqual(titles);
    expect(rows.map(({ description }) => description)).toEqual(
      titles.map((title) => `${title}\n`.repeat(200)),
    );
  });

  it("is sent unchanged if it is short or shows a credential", async () => {
    expect((await ask("GET", "/api/health", "br")).headers["content-encoding"]).toBeUndefined();
    const body = { name: '"'.repeat(499) };
    const token = await ask("POST", "/api/board-tokens", "br", { ...body, expiresAt: null });
    expect(token.status).toBe(201);
    expect(token.bytes.length).toBeGreaterThan(1024);
    expect(token.headers["content-encoding"]).toBeUndefined();
    const key = await ask("POST", `/api/agents/${(await api.agent(companyId)).id}/keys`, "br", body);
    expect(key.headers["content-encoding"]).toBeUndefined();
  });
});
