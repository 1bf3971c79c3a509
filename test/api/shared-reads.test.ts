import { request } from "node:http";
import { brotliDecompressSync } from "node:zlib";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { App } from "../../hosts/api/endpoint/app.ts";
import { sharedRead } from "../../hosts/api/endpoint/shared-read.ts";
import { type ApiService, startApi } from "../support/api-service.ts";

/** A read that ends when the test ends it, and counts how often it was carried out. */
const readUntilReleased = () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const read = sharedRead((_: App, { of }: { readonly of: string }) =>
    Effect.promise(async () => {
      begun.push(of);
      await new Promise<void>((resolve) => ends.push(resolve));
      return { of, number: begun.length };
    }),
  );
  return { begun, end: () => ends.shift()?.(), read };
};

const app = {} as App;
/** Turns of the event loop, and no time, which may pass in one turn of a busy machine. */
const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe("A read that callers share", () => {
  it("is carried out once for all who ask while another is in progress, after they asked", async () => {
    const { begun, end, read } = readUntilReleased();
    const ask = (of: string) => Effect.runPromise(read(app, { of }));
    const first = ask("a");
    await turns();
    const later = [ask("a"), ask("a"), ask("a")];
    await turns();
    expect(begun).toEqual(["a"]);
    end();
    expect(await first).toEqual({ of: "a", number: 1 });
    await turns();
    end();
    expect(await Promise.all(later)).toEqual(Array(3).fill({ of: "a", number: 2 }));
    expect(begun).toEqual(["a", "a"]);
  });

  it("is not shared by callers who ask for something else, or ask another app", async () => {
    const { begun, end, read } = readUntilReleased();
    const asked = [
      Effect.runPromise(read(app, { of: "a" })),
      Effect.runPromise(read(app, { of: "b" })),
      Effect.runPromise(read({} as App, { of: "a" })),
    ];
    await turns();
    expect(begun).toEqual(["a", "b", "a"]);
    for (const _ of asked) end();
    await Promise.all(asked);
  });

  it("ends when the last who shares it goes away, and the next begins anew", async () => {
    const [begun, ended]: [number[], string[]] = [[], []];
    const read = sharedRead((_: App, __: { readonly of: string }) =>
      Effect.callback<{ readonly number: number }>((resume) => {
        const number = begun.push(begun.length);
        if (number === 3) resume(Effect.succeed({ number }));
        return Effect.sync(() => void ended.push(`${number}`));
      }),
    );
    const ask = () => {
      const leaving = new AbortController();
      const answer = Effect.runPromise(read(app, { of: "a" }), { signal: leaving.signal }).catch(
        () => "gone",
      );
      return { answer, leave: () => leaving.abort() };
    };
    const first = ask();
    await turns();
    const [second, third] = [ask(), ask()];
    await turns();
    first.leave();
    expect(await first.answer).toBe("gone");
    await turns();
    expect({ begun: begun.length, ended }).toEqual({ begun: 2, ended: ["1"] });
    second.leave();
    await turns();
    expect(ended).toEqual(["1"]);
    third.leave();
    await turns();
    expect(ended).toEqual(["1", "2"]);
    expect(await ask().answer).toEqual({ number: 3 });
  });

  it("continues for the others when one who shares it goes away", async () => {
    const { begun, end, read } = readUntilReleased();
    const gone = new AbortController();
    const first = Effect.runPromise(read(app, { of: "a" }), { signal: gone.signal }).catch(() => "gone");
    await turns();
    const second = Effect.runPromise(read(app, { of: "a" }));
    await turns();
    gone.abort();
    expect(await first).toBe("gone");
    end();
    await turns();
    end();
    expect(await second).toEqual({ of: "a", number: 2 });
    expect(begun).toHaveLength(2);
  });
});

let api: ApiService;
let companyId: string;
beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
});
afterAll(() => api?.stop());

describe("While many callers ask for one list", () => {
  const readers = 12;
  const crowdAsks = (path: string, until: AbortSignal) =>
    Promise.all(
      Array.from({ length: readers }, async () => {
        while (!until.aborted) expect((await api.get(path)).status).toBe(200);
      }),
    );

  it.each([
    ["agents", async () => (await api.agent(companyId)).id, "agents"],
    ["issues", async () => (await api.issue(companyId, { title: "New" })).id, "issues?sort=activity"],
  ])("a caller finds in the %s what it has just stored", async (_, store, list) => {
    const path = `/api/companies/${companyId}/${list}`;
    const over = new AbortController();
    const crowd = crowdAsks(path, over.signal);
    for (let n = 0; n < 15; n++) {
      const id = await store();
      const { body } = await api.get(path);
      expect((body as { id: string }[]).map((row) => row.id)).toContain(id);
    }
    over.abort();
    await crowd;
  });

  it("one without access to the company is refused", async () => {
    const path = `/api/companies/${companyId}/agents`;
    const { token } = await api.user((await api.company()).id, "owner");
    const over = new AbortController();
    const crowd = crowdAsks(path, over.signal);
    for (let n = 0; n < 10; n++) expect((await api.get(path, { token })).status).toBe(403);
    over.abort();
    await crowd;
  });

  it("each gets it in the coding that it accepts", async () => {
    const ask = (encoding: string): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${api.token}`, "accept-encoding": encoding };
        request(`${api.url}/api/companies/${companyId}/agents`, { headers }, (answer) => {
          const chunks: Buffer[] = [];
          answer.on("data", (chunk: Buffer) => chunks.push(chunk));
          answer.on("end", () => {
            const bytes = Buffer.concat(chunks);
            expect(answer.headers["content-encoding"]).toBe(encoding === "br" ? "br" : undefined);
            expect(Number(answer.headers["content-length"])).toBe(bytes.length);
            resolve(JSON.parse((encoding === "br" ? brotliDecompressSync(bytes) : bytes).toString()));
          });
        })
          .on("error", reject)
          .end();
      });
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) => ask(n % 2 === 0 ? "br" : "identity")),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect((answers[0] as unknown[]).length).toBeGreaterThan(10);
  });
});
