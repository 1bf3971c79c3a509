import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { json } from "../../hosts/http/respond.ts";
import { JsonText } from "../../ports/views/page.ts";
import { type ApiService, startApi } from "../support/api-service.ts";

let api: ApiService;
let companyId: string;
const count = 8;
const long = "x".repeat(800_000);

beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
  for (let n = 0; n < count; n += 1)
    await api.agent(companyId, {
      name: `Agent ${n}`,
      adapterType: "process",
      adapterConfig: { command: "true", instructions: long, n },
      metadata: n === 0 ? null : { n, text: 'é "\u2028' },
    });
});
afterAll(() => api?.stop());
afterEach(() => vi.restoreAllMocks());

const read = async (query: string) => {
  const answer = await fetch(`${api.url}/api/companies/${companyId}/agents${query}`, {
    headers: { authorization: `Bearer ${api.token}` },
  });
  return { status: answer.status, text: await answer.text() };
};

// The service is in this process: what it parses or writes at once is what other companies wait for.
it.each(["", "?callerMay=true"])(
  "The agents of a company are listed without parsing or writing their long settings%s",
  async (query) => {
    const lengths: number[] = [];
    const { parse, stringify } = JSON;
    vi.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
      lengths.push(String(text).length);
      return parse(text, reviver);
    });
    vi.spyOn(JSON, "stringify").mockImplementation((value: unknown, ...more: unknown[]) => {
      const text = stringify(value, ...(more as []));
      lengths.push(text?.length ?? 0);
      return text;
    });
    const { status, text } = await read(query);
    vi.restoreAllMocks();
    expect(status).toBe(200);
    expect(Math.max(...lengths)).toBeLessThan(20_000);
    const listed = JSON.parse(text) as {
      readonly id: string;
      readonly adapterConfig: object;
      readonly metadata: unknown;
    }[];
    expect(listed).toHaveLength(count);
    for (const [n, agent] of listed.entries()) {
      expect(agent.adapterConfig).toEqual({ command: "true", instructions: long, n });
      const {
        chainOfCommand: _,
        warnings: __,
        callerMay: ___,
        ...whole
      } = (await api.get(`/api/agents/${agent.id}`)).body;
      expect(agent).toMatchObject(whole);
    }
  },
);

it("A list of long rows is sent row by row, and others are joined", async () => {
  const rows = Array.from(
    { length: 5 },
    (_, n) => new JsonText(`{"n":${n},"text":"${"é".repeat(1_000_000)}"}`),
  );
  const { body } = json(200, rows);
  const parts: string[] = [];
  for await (const part of body as AsyncIterable<Buffer>) parts.push(part.toString());
  expect(parts).toHaveLength(5);
  expect(JSON.parse(parts.join(""))).toEqual(rows.map(({ row }) => row));
  expect(json(200, rows.slice(0, 3)).body).toBeInstanceOf(Uint8Array);
});
