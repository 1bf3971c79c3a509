import type { Page } from "playwright-core";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard, unique } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

const many = 450;

describe.skipIf(chromiumPath === null)("A long list", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard();
    const { admin, databaseUrl } = board.service;
    const { id: companyId } = await admin.companies.create({ name: "Harbour Works" });
    const adapter = { adapterType: "process", adapterConfig: { command: "true" } };
    const agent = await admin.agents.create({ companyId, name: "Ada", ...adapter });
    const run = await admin.agents.invoke({ agentId: agent.id });
    await admin.runs.cancel({ runId: run.id! });
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
    // Each about a thing of its own: entries about one thing are one row.
    await sql`
      insert into activity (id, company_id, actor_kind, actor_id, action, entity_type, entity_id, details, created_at)
      select      gen_random_uuid(), company_id, actor_kind, actor_id, action, entity_type, gen_random_uuid(), details, created_at
      from        activity
      cross join  generate_series(1, ${many})
      where       action = 'agent.created'
    `;
    await sql`
      insert into runs
      select      (jsonb_populate_record(runs, jsonb_build_object('id', gen_random_uuid()))).*
      from        runs
      cross join  generate_series(1, ${many})
    `;
    const issue = await admin.issues.create({ companyId, title: "Dredge the inner harbour" });
    await admin.issues.comment({ issueId: issue.id, body: "The silt stands at two metres." });
    await sql`
      insert into comments
      select      (
                    jsonb_populate_record(
                      comments,
                      jsonb_build_object('id', gen_random_uuid(), 'created_at', created_at + n * interval '1 millisecond')
                    )
                  ).*
      from        comments
      cross join  generate_series(1, ${many}) as n
    `;
    await sql.end();
  });
  afterAll(() => board?.stop());

  const readAll = async (page: Page, rows: string, name = "Show more") => {
    const more = page.getByRole("button", { name });
    await page.locator(rows).first().waitFor();
    // The button goes by itself once the last page has come.
    const press = (all: readonly unknown[]) => {
      for (const each of all) (each as { click(): void }).click();
      return all.length;
    };
    await expect.poll(() => more.evaluateAll(press)).toBe(0);
  };

  const scrollTo = (page: Page, where: "begin" | "middle" | "end") =>
    page.locator(".page-body").evaluate((element, to) => {
      element.scrollTop = to === "begin" ? 0 : element.scrollHeight / (to === "middle" ? 2 : 1);
    }, where);

  /** The rows in the part of the page that can be seen leave no room empty. */
  const expectFilled = (page: Page, rows: string) =>
    expect
      .poll(() =>
        page.locator(".page-body").evaluate((body, selector) => {
          const outer = body.getBoundingClientRect();
          const seen = [...body.querySelectorAll(selector)]
            .map((row) => row.getBoundingClientRect())
            .filter(({ bottom, top }) => bottom > outer.top && top < outer.bottom);
          const room = seen.slice(1).map(({ top }, nth) => Math.abs(top - seen[nth]!.bottom) > 1);
          return seen.length > 5 && !room.includes(true);
        }, rows),
      )
      .toBe(true);

  it("on the board has in the page the cards that can be seen, through which the arrow keys go", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: unique("Quay Works") });
    for (let from = 0; from < 300; from += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          admin.issues.create({ companyId, title: `Plank ${from + n}`, status: "todo" }),
        ),
      );
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/${issuePrefix}/issues`);
    await page.locator(".issues-row").first().waitFor();
    await page.keyboard.press("v");
    await readAll(page, ".issues-card");
    const rows = page.getByRole("region", { name: "To do" }).locator("li");
    const positions = () =>
      rows.evaluateAll((all) => all.map((card) => Number(card.getAttribute("aria-posinset"))));
    await expect.poll(positions).toContain(1);
    expect((await positions()).length).toBeLessThan(100);
    await page.locator(".issues-board").evaluate((element) => {
      element.scrollTop = element.scrollHeight;
    });
    await expect.poll(async () => (await positions()).at(-1)).toBe(300);
    expect((await positions()).length).toBeLessThan(100);
    const focused = () =>
      page.evaluate("Number(document.activeElement.closest('li')?.getAttribute('aria-posinset'))");
    await rows.last().getByRole("link").focus();
    for (let step = 1; step <= 60; step++) {
      await page.keyboard.press("ArrowUp");
      await expect.poll(focused).toBe(300 - step);
    }
    await expectAccessible();
    expectClean();
    await close();
  });

  it.each([
    { path: "/HAR/activity", rows: ".activity > li", position: "aria-posinset", first: 1 },
    { path: "/HAR/runs", rows: "tbody tr[data-index]", position: "aria-rowindex", first: 2 },
  ])(
    "at $path has in the page what can be seen, in its position",
    async ({ path, rows, position, first }) => {
      const { page, expectClean, expectAccessible, close } = await board.signedIn(path);
      await readAll(page, rows);
      const positions = () =>
        page
          .locator(rows)
          .evaluateAll((all, name) => all.map((row) => Number(row.getAttribute(name))), position);
      for (const where of ["middle", "end", "begin"] as const) {
        await scrollTo(page, where);
        await expectFilled(page, rows);
      }
      expect((await positions())[0]).toBe(first);
      expect((await positions()).length).toBeLessThan(150);
      const widths = () =>
        page.locator("thead th").evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
      const before = await widths();
      await scrollTo(page, "end");
      await expect.poll(async () => (await positions()).at(-1)).toBeGreaterThanOrEqual(first + many);
      expect(await widths()).toEqual(before);
      await expectAccessible();
      expectClean();
      await close();
    },
  );

  it("of fewer entries shows first as many as can be seen, then all", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: unique("Mole Works") });
    for (let n = 0; n < 60; n++) await admin.goals.create({ companyId, title: `Goal ${n}`, level: "team" });
    const { page, expectClean, close } = await board.signedIn(`/${issuePrefix}/pulse`);
    const rows = "main .activity > li";
    // How many rows there are after each change of the page.
    await page.evaluate(`
      window.counts = [];
      new MutationObserver(() => {
        const count = document.querySelectorAll("${rows}").length;
        if (count > 0 && count !== counts.at(-1)) counts.push(count);
      }).observe(document.body, { childList: true, subtree: true });
      0;
    `);
    await page.getByRole("link", { name: "Activity" }).click();
    await expect.poll(() => page.locator(rows).count()).toBeGreaterThan(45);
    const [first, ...more] = (await page.evaluate("counts")) as readonly number[];
    expect(first).toBe(Math.ceil(Number(await page.evaluate("innerHeight")) / 36));
    expect(more).toEqual([await page.locator(rows).count()]);
    expectClean();
    await close();
  });

  it("that grows takes no row away meanwhile", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: unique("Pier Works") });
    const add = async (count: number) => {
      for (let n = 0; n < count; n++)
        await admin.goals.create({ companyId, title: `Goal ${n}`, level: "team" });
    };
    await add(15);
    const { page, expectClean, close } = await board.signedIn(`/${issuePrefix}/activity`);
    const rows = page.locator("main .activity > li");
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(15);
    await page.evaluate(`
      window.removed = 0;
      new MutationObserver((changes) => {
        for (const { removedNodes } of changes)
          for (const node of removedNodes) if (node.nodeName === "LI") removed++;
      }).observe(document.querySelector("main .activity"), { childList: true });
      0;
    `);
    await add(15);
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(30);
    expect(await page.evaluate("removed")).toBe(0);
    expectClean();
    await close();
  });

  it("has every row on paper", async () => {
    const { page, expectClean, close } = await board.signedIn("/HAR/activity");
    const rows = page.locator(".activity > li");
    await readAll(page, ".activity > li");
    await page.evaluate("dispatchEvent(new Event('beforeprint')); 0");
    expect(await rows.count()).toBeGreaterThanOrEqual(many);
    await page.evaluate("dispatchEvent(new Event('afterprint')); 0");
    await expect.poll(() => rows.count()).toBeLessThan(150);
    expectClean();
    await close();
  });

  it("of comments has in the page what can be seen, and a comment that is being edited", async () => {
    const { page, expectClean, expectAccessible, close } = await board.signedIn("/HAR/issues/HAR-1");
    const rows = ".issue-timeline > li";
    await readAll(page, rows, "Show earlier comments");
    await scrollTo(page, "middle");
    await expectFilled(page, rows);
    expect(await page.locator(rows).count()).toBeLessThan(150);
    expect(await page.locator(rows).first().getAttribute("aria-setsize")).toBe(`${many + 1}`);
    // To scroll to another one would close its menu.
    const actions = page.getByRole("button", { name: /^Actions on the comment/ });
    const visible = await actions.evaluateAll((all) =>
      all.findIndex((each) => each.getBoundingClientRect().top > 250),
    );
    await actions.nth(visible).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    const edited = page.getByRole("form", { name: "Edit the comment" }).getByRole("textbox");
    await edited.fill("The silt stands at three metres.");
    await page.locator("h1").first().focus();
    for (const where of ["end", "begin", "end"] as const) {
      await scrollTo(page, where);
      await expectFilled(page, rows);
    }
    expect(await edited.inputValue()).toBe("The silt stands at three metres.");
    await expectAccessible();
    expectClean();
    await close();
  });
});
