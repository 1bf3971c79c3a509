import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase, poolOptions } from "../../adapters-infra/postgres/connection.ts";
import type { Comment } from "../../core/model/issues/comments/comment.ts";
import type { CommentId, CompanyId, IssueId } from "../../core/model/shared/ids.ts";
import { aCompany, anIssue, newId, openTestStorage, type TestStorage } from "../support/builders.ts";
import { hostileUnits, repeated } from "../support/hostile-texts.ts";
import * as nouns from "../support/nouns.ts";
import { sampled } from "../support/sample.ts";

/**
 * The time that the database may spend on one text. It needs a tenth of a second for the worst, and more than twenty seconds where
 * it reads on to the end from each place.
 */
const mostMs = 6_000;
const longest = 512 * 1024;

let storage: TestStorage;
let companyId: CompanyId;
let issueId: IssueId;

beforeAll(async () => {
  storage = await openTestStorage();
  Object.assign(poolOptions(storage.sql).session, { statement_timeout: mostMs });
  ({ id: companyId } = await aCompany(storage));
  ({ id: issueId } = await anIssue(storage, { companyId, title: "Texts" }));
});
afterAll(() => storage?.close());

const comment = (body: string): Promise<void> => {
  const one: Comment = {
    id: newId<CommentId>(),
    companyId,
    issueId,
    body,
    authorAgentId: null,
    authorUserId: null,
    createdByRunId: null,
    location: null,
    createdAt: nouns.now,
    updatedAt: nouns.now,
    editedAt: null,
    deletedAt: null,
  };
  return storage.run(({ comments }) => comments.insert(one));
};

const hits = async (words: string) =>
  (await Effect.runPromise(storage.views.search.issues(companyId, words, { limit: 200, cursor: undefined })))
    .items;

const sixtyWords = Array.from({ length: 60 }, (_, n) => `w${n}`).join(" ");

describe("A text of the greatest length", () => {
  it.each(
    sampled(
      hostileUnits.filter((unit) => unit.isWellFormed()),
      3,
    ),
  )("is indexed in bounded time if it repeats %j", async (unit) => {
    await comment(repeated(unit, longest).toWellFormed());
    await anIssue(storage, {
      companyId,
      title: "Long",
      description: repeated(unit, longest).toWellFormed(),
    });
  });

  /** Of each script the first and the number of its letters. */
  it.each([
    ["emoji", 0x1f300, 1_500],
    ["ideographs of extension B", 0x20000, 40_000],
    ["cuneiform", 0x12000, 900],
    ["Hangul", 0xac00, 11_000],
    ["Latin", 0x61, 26],
  ])("is indexed in bounded time if each word is another one, in %s", async (_, first, letters) => {
    for (const separator of [" ", "-", "/"]) {
      const words: string[] = [];
      for (let n = 0, left = longest / 4; left > 0; n += 1) {
        const ofWord = [n % letters, Math.floor(n / letters) % letters, (n * 7919) % letters];
        words.push(String.fromCodePoint(...ofWord.map((letter) => first + letter)));
        left -= ofWord.length + separator.length;
      }
      await comment(words.join(separator));
    }
  });

  it.each([
    ["many matches", repeated("buoy ", longest), "buoy"],
    ["many matches of two words", repeated("buoy bell ", longest), "buoy bell"],
    ["many words, all asked for", repeated(`${sixtyWords} `, longest), sixtyWords],
    ["an address without end", `reef ${repeated("@1A", longest)}`, `reef or ${repeated("@1A", 490)}`],
    ["tags without end", `shoal ${repeated("<a ", longest)}`, "shoal"],
  ])("with %s is found and excerpted in bounded time", async (_, body, words) => {
    for (let n = 0; n < 20; n += 1) await comment(body);
    expect((await hits(words)).map(({ id }) => id)).toContain(issueId);
  });
});

describe("Prepared text", () => {
  const finds = async (body: string, words: string): Promise<boolean> => {
    const issue = await anIssue(storage, { companyId, title: "Prepared", description: body });
    return (await hits(words)).some(({ id }) => id === issue.id);
  };

  it.each([
    ["an address", "see https://charts.example/north/a_b-c.html?x=1&y=2", "charts.example"],
    ["a whole address", "see https://charts.example/north/q_b-c.html", "charts.example/north/q_b-c.html"],
    [
      "a part of a very long address",
      `see https://charts.example/${repeated("deep/", 200)}trench#end`,
      "charts.example",
    ],
    [
      "the whole of a very long address",
      `c.example/${repeated("d-e/", 99)}`,
      `c.example/${repeated("d-e/", 99)}`,
    ],
    [
      "a mail address",
      "write to keeper@lighthouse.example, or to mate@lighthouse.example",
      "mate@lighthouse.example",
    ],
    ["a phrase across tags", "the rusty <b>sextant</b> lies <br/> there", '"rusty sextant lies"'],
    ["a word after a tag that never ends", "before <!-- wheelhouse", "wheelhouse"],
    ["a word between comparison signs", "if a<b then windlass", "windlass"],
  ])("finds %s", async (_, body, words) => {
    expect(await finds(body, words)).toBe(true);
  });

  it("finds what was stored before texts were prepared", async () => {
    const address = `old.example/${repeated("d-e/", 99)}`;
    const issue = await anIssue(storage, { companyId, title: "Old" });
    await storage.sql`
      update  issues
      set     search = array_to_tsvector(array[company_id::text]) || to_tsvector('english', ${address})
      where   id = ${issue.id}`;
    expect((await hits(address)).map(({ id }) => id)).toContain(issue.id);
  });

  it("shows the match of a long text, however far it is, with its signs", async () => {
    await anIssue(storage, {
      companyId,
      title: "Far",
      description: `${repeated("calm sea ", 50_000)}, where a < b the kraken rises`,
    });
    const [hit] = await hits("kraken");
    expect(JSON.parse(JSON.stringify(hit))).toMatchObject({
      excerpt: expect.stringMatching(/a \\< b the \*\*kraken/),
    });
  });
});

describe("A statement that the database ends at its time limit", () => {
  it("says so, and leaves nothing", async () => {
    const hurried = openDatabase(storage.url, { max: 1 });
    try {
      await hurried`set statement_timeout = 50`;
      const failure = await hurried`select pg_sleep(60)`.then(null, (error: unknown) => error);
      const { statementFailed } = await import("../../adapters-infra/postgres/database-failure.ts");
      expect(statementFailed(failure)).toMatchObject({ meaning: { code: "database_too_slow" } });
    } finally {
      await hurried.end({ timeout: 5 });
    }
  });
});
