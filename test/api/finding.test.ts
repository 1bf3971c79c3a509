import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";

let api: ApiService;
let companyId: string;

beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
});
afterAll(() => api?.stop());

const issue = (fields: object = {}) => api.issue(companyId, fields);
const titles = async (path: string): Promise<string[]> =>
  (await api.get(`/api/companies/${companyId}/issues${path}`)).body.map(
    ({ title }: { title: string }) => title,
  );
const count = async (path: string): Promise<number> =>
  (await api.get(`/api/companies/${companyId}/issues/count${path}`)).body.count;

describe("Labels", () => {
  it("are set on issues, filter the list, and leave all issues when they are deleted", async () => {
    const [red, blue] = [
      await api.make(`/api/companies/${companyId}/labels`, { name: "Red", color: "#ff0000" }),
      await api.make(`/api/companies/${companyId}/labels`, { name: "blue" }),
    ];
    const both = await issue({ title: "Both", labelIds: [red.id, blue.id] });
    const one = await issue({ title: "One" });
    await api.patch(`/api/issues/${one.id}`, { labelIds: [red.id] });
    expect(await titles(`?labelIds=${red.id}`)).toEqual(["One", "Both"]);
    expect(await titles(`?labelIds=${red.id},${blue.id}`)).toEqual(["Both"]);
    expect(await count(`?labelIds=${red.id}`)).toBe(2);
    const names = async (id: string) =>
      (await api.get(`/api/issues/${id}`)).body.labels.map(({ name }: { name: string }) => name);
    expect(await names(both.id)).toEqual(["blue", "Red"]);
    await api.delete(`/api/labels/${red.id}`);
    expect(await names(both.id)).toEqual(["blue"]);
  });

  it("that change are logged once, with the actor, and set the issue's updatedAt; an equal set is no change", async () => {
    const make = (name: string) => api.make(`/api/companies/${companyId}/labels`, { name });
    const [near, far] = [await make("Near"), await make("Far")];
    const made = await issue({ labelIds: [near.id] });
    const remembered = async () =>
      (await api.get(`/api/issues/${made.id}/activity`)).body.filter(
        ({ action }: { action: string }) => action === "issue.labels_updated",
      );
    const put = async (labelIds: string[], more: object = {}) =>
      (await api.patch(`/api/issues/${made.id}`, { labelIds, ...more })).body;
    expect((await put([near.id, near.id])).updatedAt).toBe(made.updatedAt);
    expect(await remembered()).toEqual([]);
    const changed = await put([far.id]);
    expect(changed.updatedAt > made.updatedAt).toBe(true);
    expect(changed.labels.map(({ name }: { name: string }) => name)).toEqual(["Far"]);
    expect(await remembered()).toMatchObject([
      {
        actorType: "board",
        details: {
          identifier: made.identifier,
          added: [{ id: far.id, name: "Far" }],
          removed: [{ id: near.id, name: "Near" }],
        },
      },
    ]);
    expect((await put([far.id])).updatedAt).toBe(changed.updatedAt);
    const emptied = await put([], { title: "Emptied" });
    expect(emptied).toMatchObject({ title: "Emptied", labels: [] });
    expect((await remembered()).map(({ details }: { details: object }) => details)).toMatchObject([
      { added: [], removed: [{ name: "Far" }] },
      { added: [{ name: "Far" }] },
    ]);
  });

  it("and blockers that stay the same leave no trace", async () => {
    const [made, blocker] = [await issue(), await issue()];
    const block = async () =>
      (await api.patch(`/api/issues/${made.id}`, { blockedByIssueIds: [blocker.id] })).body.updatedAt;
    const first = await block();
    expect(first > made.updatedAt).toBe(true);
    expect(await block()).toBe(first);
    const { body } = await api.get(`/api/issues/${made.id}/activity`);
    expect(body.map(({ action }: { action: string }) => action)).toEqual([
      "issue.blockers_updated",
      "issue.created",
    ]);
  });

  it("are deleted once, by one of two callers at the same moment", async () => {
    const { id } = await api.make(`/api/companies/${companyId}/labels`, { name: "Contested" });
    const { both } = await api.sql.begin(async (sql) => {
      await sql`select from labels where id = ${id} for update`;
      const both = [1, 2].map(() => api.delete(`/api/labels/${id}`));
      await eventually(api.waiting, (count) => count === 2);
      return { both };
    });
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 404]);
    const deletions =
      await api.sql`select from activity where action = 'label.deleted' and entity_id = ${id}`;
    expect(deletions).toHaveLength(1);
  });

  it("have unique names in a company, regardless of case", async () => {
    await api.make(`/api/companies/${companyId}/labels`, { name: "Twice" });
    const { status, body } = await api.post(`/api/companies/${companyId}/labels`, { name: "tWICE" });
    expect([status, body.code]).toEqual([409, "label_name_taken"]);
  });

  it("of another company are refused", async () => {
    const other = await api.make(`/api/companies/${(await api.company()).id}/labels`, { name: "Theirs" });
    const { status, body } = await api.post(`/api/companies/${companyId}/issues`, {
      title: "x",
      labelIds: [other.id],
    });
    expect([status, body.code]).toEqual([422, "reference_not_found"]);
  });
});

describe("Search", () => {
  it("finds words in titles, descriptions, comments and documents, best first, with excerpts", async () => {
    const inTitle = await issue({ title: "Repair the harbour crane" });
    const inText = await issue({ title: "Notes", description: "Somebody should look at the cranes." });
    const inComment = await issue({ title: "Talk" });
    await api.make(`/api/issues/${inComment.id}/comments`, { body: "The crane is broken again." });
    const inDocument = await issue({ title: "Papers" });
    await api.put(`/api/issues/${inDocument.id}/documents/plan`, {
      title: "Plan",
      body: "First the crane, then the rest.",
    });
    const { body: hits } = await api.get(`/api/companies/${companyId}/issues/search?q=CRANE`);
    expect(hits[0]).toMatchObject({
      id: inTitle.id,
      matchedIn: "issue",
      excerpt: "Repair the harbour **crane**",
    });
    const found = new Map<string, { matchedIn: string; excerpt: string }>(
      hits.map((hit: { id: string }) => [hit.id, hit]),
    );
    expect([...found.keys()].sort()).toEqual([inTitle.id, inText.id, inComment.id, inDocument.id].sort());
    expect(found.get(inComment.id)).toMatchObject({
      matchedIn: "comment",
      excerpt: expect.stringContaining("**crane** is broken again"),
    });
    expect(found.get(inDocument.id)?.matchedIn).toBe("document");
    expect(found.get(inText.id)?.excerpt).toContain("**cranes**");
    expect((await titles("?q=crane")).sort()).toEqual([
      "Notes",
      "Papers",
      "Repair the harbour crane",
      "Talk",
    ]);
    expect(await count("?q=crane")).toBe(4);
    expect(await titles(`?q=${encodeURIComponent("crane -broken -papers")}`)).not.toContain("Talk");
    expect(await titles(`?q=${encodeURIComponent('"harbour crane"')}`)).toEqual(["Repair the harbour crane"]);
  });

  it("finds parts of texts that are written without spaces", async () => {
    const { id: company } = await api.company();
    const make = (fields: object) => api.issue(company, fields);
    const tokyo = await make({ title: "東京都庁の予約システムを直す", description: "iPhoneのケースも" });
    const kyoto = await make({ title: "京都", description: "それは東 京ではない。" });
    const thai = await make({ title: "Talk" });
    await api.make(`/api/issues/${thai.id}/comments`, { body: "ที่อยู่ของลูกค้าภาษาไทย" });
    const korean = await make({ title: "Papers" });
    await api.put(`/api/issues/${korean.id}/documents/plan`, { title: "계획", body: "서울에서 시작합니다." });
    const found = async (words: string): Promise<readonly { id: string; excerpt: string }[]> =>
      (await api.get(`/api/companies/${company}/issues/search?q=${encodeURIComponent(words)}`)).body;
    const ids = async (words: string) => (await found(words)).map(({ id }) => id).sort();
    for (const [words, ...which] of [
      ["東京", tokyo],
      ["京都", kyoto, tokyo],
      ["東", kyoto, tokyo],
      ["す", tokyo],
      ["京都 -東京", kyoto],
      ['"予約 システム"', tokyo],
      ["iphone ケース", tokyo],
      ["京都iphone", tokyo],
      ["東庁"],
      ["ลูกค้า", thai],
      ["서울", korean],
      ["계획 or 東京都", korean, tokyo],
    ] as const)
      expect(await ids(words), words).toEqual(which.map(({ id }) => id).sort());
    expect((await found("東京"))[0]?.excerpt).toContain("**東京**都庁の予約");
    expect((await found("ภาษา"))[0]?.excerpt).toContain("ลูกค้า**ภาษา**ไทย");
    const listed = await api.get(`/api/companies/${company}/issues?q=${encodeURIComponent("予約")}`);
    expect(listed.body.map(({ id }: { id: string }) => id)).toEqual([tokyo.id]);
  });

  it("pages through hits, each once, while issues are added", async () => {
    for (let n = 0; n < 7; n++) await issue({ title: `Lighthouse ${n}` });
    const seen: string[] = [];
    let cursor = "";
    do {
      const { body, headers } = await api.get(
        `/api/companies/${companyId}/issues/search?q=lighthouse&limit=3${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...body.map(({ title }: { title: string }) => title));
      cursor = headers.get("x-next-cursor") ?? "";
      await issue({ title: "Lighthouse, new" });
    } while (cursor !== "");
    expect(seen.filter((title) => title !== "Lighthouse, new").sort()).toEqual(
      Array.from({ length: 7 }, (_, n) => `Lighthouse ${n}`),
    );
    expect(new Set(seen.filter((title) => title !== "Lighthouse, new")).size).toBe(7);
  });

  it("finds an issue by its identifier, and nothing of another company", async () => {
    const mine = await issue({ title: "Whatever" });
    const other = await api.company();
    await api.issue(other.id, { title: "Zanzibar" });
    const [hit] = (
      await api.get(`/api/companies/${companyId}/issues/search?q=${mine.identifier.toLowerCase()}`)
    ).body;
    expect(hit.id).toBe(mine.id);
    expect(await titles("?q=zanzibar")).toEqual([]);
    expect((await api.get(`/api/companies/${companyId}/issues/search?q=zanzibar`)).body).toEqual([]);
  });

  it.each(["the", "'", "a & b | !", "(((", ":*", "\\", "<->", "''''"])(
    "accepts %j as words or as an empty search",
    async (q) => {
      const { status } = await api.get(
        `/api/companies/${companyId}/issues/search?q=${encodeURIComponent(q)}`,
      );
      expect(status).toBe(200);
      if (q === "the") expect(await titles("?q=the")).toEqual([]);
    },
  );

  const found = async (q: string): Promise<{ title: string; excerpt: string }[]> =>
    (await api.get(`/api/companies/${companyId}/issues/search?q=${encodeURIComponent(q)}`)).body;

  it("shows excerpts in which all user text is escaped", async () => {
    const { id } = await issue({ title: "Nasty" });
    await api.make(`/api/issues/${id}/comments`, {
      body: [
        "# Zeppelin\u0001",
        "<script>alert(1)</script> <img src=x onerror=alert(1)> a < zeppelin",
        "**not found** `code` [a](javascript:alert(1)) ![b](http://x.example/y) \\",
        "_bent_ ~~struck~~ &copy;",
      ].join("\n"),
    });
    const [hit] = await found("zeppelin");
    const { excerpt } = hit!;
    expect(excerpt.match(/(?<!\\)\*\*.*?(?<!\\)\*\*/g)).toEqual(["**Zeppelin**", "**zeppelin**"]);
    const rest = excerpt.replaceAll("**Zeppelin**", "").replaceAll("**zeppelin**", "");
    expect(rest.replace(/\\[\\`*_~[\]<&]/g, "")).not.toMatch(/[\\`*_~[\]<&\n\u0001\u0002]/);
  });

  it.each([
    [
      "words in any case and of any script",
      "Ärger an der Straße, 修理 und ремонт",
      ["äRGER", "straße", "修理", "РЕМОНТ"],
      ["arger"],
    ],
    ["other forms of a word", "The pulleys were greased", ["pulley", "grease pulley", "GREASING"], ["pull"]],
    [
      "phrases and what is not to be there",
      "Rusty anchor chain on deck",
      ['"anchor chain"', "anchor -sail", "chain or sail", '"anchor chain'],
      ['"chain anchor"', "anchor -rusty", "anchor sail", "-sail", "-sail -boat", "sail or -boat"],
    ],
    [
      "names of issues in texts",
      "As said in XQZ-4711 before",
      ["XQZ-4711", "xqz-4711"],
      ["XQZ-47", "XQZ-4712"],
    ],
    [
      "paths and addresses",
      "See docs/keel/hull.md at https://keel.example/hull",
      ["docs/keel/hull.md", "keel.example"],
      ["keel.other"],
    ],
  ])("finds %s", async (_, text, wanted, others) => {
    const title = `Text of ${text.length}`;
    await issue({ title, description: text });
    const finds = async (q: string) => (await found(q)).some((hit) => hit.title === title);
    for (const q of wanted) expect([q, await finds(q)]).toEqual([q, true]);
    for (const q of others) expect([q, await finds(q)]).toEqual([q, false]);
  });

  it.each([
    "-crane",
    "🚢",
    "the and of",
    `${"x or ".repeat(99)}`,
    '"'.repeat(300),
    "-".repeat(500),
    "<b>",
    "\u0001",
  ])("treats %j like any other words", async (q) => {
    const path = (list: string) => `/api/companies/${companyId}/issues${list}q=${encodeURIComponent(q)}`;
    for (const list of ["/search?", "?", "/count?"]) expect((await api.get(path(list))).status).toBe(200);
  });

  it("refuses too many words", async () => {
    const { status, body } = await api.get(`/api/companies/${companyId}/issues/search?q=${"x".repeat(501)}`);
    expect([status, body.code]).toEqual([400, "validation_error"]);
  });

  it("accepts the longest allowed text", async () => {
    const words = Array.from({ length: 45_000 }, (_, n) => `w${n.toString(36)}-é${n}`)
      .join(" ")
      .slice(0, 400_000);
    const { id } = await issue({ title: "Long", description: words });
    await api.make(`/api/issues/${id}/comments`, { body: words });
    expect((await api.put(`/api/issues/${id}/documents/long`, { body: words })).status).toBe(201);
  });
});

describe("Children", () => {
  it("are found by their parent, and counted", async () => {
    const parent = await issue();
    await issue({ title: "A", parentId: parent.id, status: "done" });
    await issue({ title: "B", parentId: parent.id });
    expect((await titles(`?parentId=${parent.id}`)).sort()).toEqual(["A", "B"]);
    expect(await count(`?parentId=${parent.id}&status=done`)).toBe(1);
  });
});

describe("Activity", () => {
  const found = async (query: string): Promise<string[]> =>
    (await api.get(`/api/companies/${companyId}/activity?${query}`)).body.map(
      ({ action }: { action: string }) => action,
    );

  it("shows an entry about a kind of thing that this version does not know", async () => {
    const label = await api.make(`/api/companies/${companyId}/labels`, { name: "Relic" });
    await api.sql`update activity set entity_type = 'relic' where entity_id = ${label.id}`;
    const answer = await fetch(`${api.url}/api/companies/${companyId}/activity?entityType=relic`, {
      headers: { authorization: `Bearer ${api.token}` },
    });
    expect(await answer.json()).toMatchObject([{ action: "label.created", entityType: "relic" }]);
  });

  it("is found by what was named or written, by actor, kind and day", async () => {
    const person = await api.user(companyId, "operator");
    const label = await api.make(`/api/companies/${companyId}/labels`, { name: "Zephyr" });
    const made = await issue({ title: "Zephyr invoices" });
    await api.post(`/api/issues/${made.id}/comments`, { body: "The zephyr is late" }, person);
    expect(await found("q=zephyr")).toEqual(["issue.comment_added", "issue.created", "label.created"]);
    expect(await found("q=zephyr+invoice")).toEqual(["issue.created"]);
    expect(await found(`q=${made.identifier}&entityType=issue`)).toContain("issue.created");
    expect(await found("q=identifier")).toEqual([]);
    expect(await found("q=-zephyr")).toEqual([]);
    expect(await found(`actorId=${person.id}`)).toEqual(["issue.comment_added"]);
    expect(await found("q=zephyr&entityType=label")).toEqual(["label.created"]);
    expect(await found(`q=zephyr&from=${label.createdAt}&entityType=label`)).toEqual(["label.created"]);
    expect(await found("to=2020-01-01")).toEqual([]);
    expect(await found("q=zephyr&to=2100-01-01")).toEqual(await found("q=zephyr"));
    const other = await api.company();
    expect((await api.get(`/api/companies/${other.id}/activity?q=zephyr`)).body).toEqual([]);
  });
});
